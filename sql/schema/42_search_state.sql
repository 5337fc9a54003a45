-- What a pass of a keyword search knows of the passes before it.

CREATE TYPE search_state AS (
  keyword text,
  plain_words text [],
  plain keyword_reading,
  unknown text [],
  small_words text [],
  small keyword_reading,
  spelled_words text [],
  spelled keyword_reading,
  typed_words jsonb,
  korean_words text [],
  known_words text [],
  known_places keyword_reading,
  words_read text [],
  is_corrected boolean,
  sample text [],
  looked_up text [],
  nowhere text [],
  characters integer,
  size integer,
  most_characters integer,
  reading keyword_reading
);
COMMENT ON TYPE search_state IS 'A keyword between two passes of its search';
COMMENT ON COLUMN search_state.keyword IS 'The keyword as typed';
COMMENT ON COLUMN search_state.plain_words IS 'Its words';
COMMENT ON COLUMN search_state.plain IS 'Their reading';
COMMENT ON COLUMN search_state.unknown IS 'Words that are no names';
COMMENT ON COLUMN search_state.small_words IS 'The words without those that people write around names';
COMMENT ON COLUMN search_state.small IS 'Their reading';
COMMENT ON COLUMN search_state.spelled_words IS 'The words with foreign ones in Korean, null unless some are';
COMMENT ON COLUMN search_state.spelled IS 'Their reading';
COMMENT ON COLUMN search_state.typed_words IS 'How the foreign ones were typed, by the Korean word';
COMMENT ON COLUMN search_state.korean_words IS 'Korean words that the next literal pass looks for in names and addresses';
COMMENT ON COLUMN search_state.known_words IS 'The words without unknown ones';
COMMENT ON COLUMN search_state.known_places IS 'Their reading';
COMMENT ON COLUMN search_state.words_read IS 'Lists of words that a pass has read, as text';
COMMENT ON COLUMN search_state.is_corrected IS 'Whether the pass for typing errors found a name';
COMMENT ON COLUMN search_state.sample IS 'The result of search_sample(), null until it is needed';
COMMENT ON COLUMN search_state.looked_up IS 'Words that were looked up in shops, as letters (NFD)';
COMMENT ON COLUMN search_state.nowhere IS 'Those of them that no shop has';
COMMENT ON COLUMN search_state.characters IS 'Characters read so far';
COMMENT ON COLUMN search_state.size IS 'Characters that a pass reads';
COMMENT ON COLUMN search_state.most_characters IS 'Characters that all passes may read';
COMMENT ON COLUMN search_state.reading IS 'What the last pass read, null if nothing new';
