"""What the documents share: runs and their records, Markdown, plots, and the figures of the papers."""
