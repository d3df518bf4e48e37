"""What every run needs: it knows no mode and no door."""
