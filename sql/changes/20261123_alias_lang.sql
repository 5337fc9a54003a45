-- squawk-ignore-file constraint-missing-not-valid
-- The constraint is checked at once: brands have a few hundred aliases.
--
-- The language of a brand's other name, so that lists of foreign names keep it.
ALTER TABLE brand_aliases ADD COLUMN lang text NOT NULL DEFAULT '';
ALTER TABLE brand_aliases ADD CONSTRAINT brand_aliases_lang_is_a_tag
CHECK (lang ~ '^([a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?)?$');
COMMENT ON COLUMN brand_aliases.lang IS 'Language of the alias as a BCP 47 tag (ko, en, ja, zh-Hans, zh-Hant); empty when unknown';
