"""Analysis: runs the scripts of sql/analysis; exports, maps, charts and reports."""
