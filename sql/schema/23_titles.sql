-- Titles that members collect: the catalogue, and the titles of each member.
CREATE TABLE titles (
  id bigint NOT NULL,
  name text NOT NULL,
  content text NOT NULL,
  standard text NOT NULL,
  target integer NOT NULL,
  earned_by text NOT NULL,
  color text NOT NULL,
  emblem text NOT NULL,
  CONSTRAINT titles_pkey PRIMARY KEY (id),
  CONSTRAINT titles_name_unique UNIQUE (name),
  CONSTRAINT titles_target_positive CHECK (target > 0),
  CONSTRAINT titles_earned_by_known CHECK (earned_by IN ('sign-in', 'review', 'favorite')),
  CONSTRAINT titles_color_is_hex CHECK (color ~ '^#[0-9a-f]{6}$'),
  CONSTRAINT titles_emblem_is_path CHECK (emblem ~ '^[-MLHVCSQTAZmlhvcsqtaz0-9., ]+$')
);
COMMENT ON TABLE titles IS 'Catalogue of member titles';
COMMENT ON COLUMN titles.id IS 'Title identifier';
COMMENT ON COLUMN titles.name IS 'Name of the title';
COMMENT ON COLUMN titles.content IS 'Description, shown to those who hold it';
COMMENT ON COLUMN titles.standard IS 'How to obtain it, shown to those who do not';
COMMENT ON COLUMN titles.target IS 'Progress at which it is awarded';
COMMENT ON COLUMN titles.earned_by IS 'Command after which its rule is checked: sign-in, review or favorite';
COMMENT ON COLUMN titles.color IS 'Colour of the drawn medal, #rrggbb';
COMMENT ON COLUMN titles.emblem IS 'SVG path on the medal, in a box of 64 by 64';

CREATE TABLE member_titles (
  member_id bigint NOT NULL,
  title_id bigint NOT NULL,
  awarded_at timestamptz NOT NULL,
  is_main boolean NOT NULL DEFAULT false,
  CONSTRAINT member_titles_pkey PRIMARY KEY (member_id, title_id),
  CONSTRAINT member_titles_member_fkey FOREIGN KEY (member_id) REFERENCES members (id),
  CONSTRAINT member_titles_title_fkey FOREIGN KEY (title_id) REFERENCES titles (id)
);
CREATE UNIQUE INDEX member_titles_one_main ON member_titles (member_id) WHERE is_main;
COMMENT ON TABLE member_titles IS 'Titles held; never taken back';
COMMENT ON COLUMN member_titles.member_id IS 'Member';
COMMENT ON COLUMN member_titles.title_id IS 'Title';
COMMENT ON COLUMN member_titles.awarded_at IS 'When it was earned';
COMMENT ON COLUMN member_titles.is_main IS 'The member''s main title; at most one';
