"""The analysts' workbench: scripts of sql/analysis, exports, pictures and reports."""
