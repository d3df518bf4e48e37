"""What dialectics leave behind: read, rated, graded, exported."""
