"""Many processes on one database: who is there, and the way from one to another."""
