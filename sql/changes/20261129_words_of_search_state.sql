-- Suggestions keep the words that a pass reads in the state, too.
ALTER TYPE search_state ADD ATTRIBUTE pass_words text [];
COMMENT ON COLUMN search_state.pass_words IS 'Words that the last pass of suggestions read, null if none';
