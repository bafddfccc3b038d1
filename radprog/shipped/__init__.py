"""What comes with radprog: the main job on a real data set, and small data for every page."""
