"""Discriminative similarity: clustering, label propagation and the Similarity Machine."""
