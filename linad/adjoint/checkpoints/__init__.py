"""The reverse of marked loops: snapshots, their schedule, and steps that are run again."""
