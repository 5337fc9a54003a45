-- Searches compare the terms of a name with values that the planner does not know, so it never reads statistics of them; ANALYZE
-- would compute the terms of every row again.
ALTER INDEX brands_terms_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX brands_spellings_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX brand_aliases_terms_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX brand_aliases_spellings_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX regions_terms_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX regions_spellings_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX region_aliases_terms_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX region_aliases_spellings_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX stations_terms_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX stations_spellings_idx ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX station_aliases_spellings_idx ALTER COLUMN 1 SET STATISTICS 0;
