"""What people come back to: lists, views and exports of past runs."""
