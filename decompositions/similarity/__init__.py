"""Discriminative similarity: clustering, label propagation, the Similarity Machine."""
