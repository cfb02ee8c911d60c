//! Screens as texts, and what keys do to them.
