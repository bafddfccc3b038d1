"""Discriminative similarity: clustering, label propagation, the similarity machine."""
