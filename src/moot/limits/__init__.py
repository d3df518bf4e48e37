"""What a person may do, has done, and has left."""
