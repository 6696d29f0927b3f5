"""Measured motions and efforts: arrays and files."""
