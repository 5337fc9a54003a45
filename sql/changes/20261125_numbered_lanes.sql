-- 명동8길 is Myeongdong 8-gil: only a road keeps its unit before the number of a lane (강남대로98길, Gangnam-daero 98-gil).
-- The number of a road is not spelt out, as that of a 가 is: 김포한강4로 is Gimpohangang 4-ro, 종로2가 Jongno 2(i)-ga.

CREATE OR REPLACE FUNCTION romanized_place(value text, hyphen boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  numbers constant text[] := '{il,i,sam,sa,o,yuk,chil,pal,gu,sip}'::text[];
  word text;
  part text[];
  head text;
  places text[] := '{}'::text[];
BEGIN
  -- 종로 2가 is one place
  FOREACH word IN ARRAY regexp_split_to_array(
    regexp_replace(btrim(normalize(value, NFC)), '[[:space:]]+([0-9]+(가|동|번?길))(?![[:alnum:]])', '\1', 'g'), '[[:space:]]+')
  LOOP
    IF word ~ '..(특별시|광역시|특별자치시)$' THEN
      places := places || public.romanized(regexp_replace(word, '(특별|광역|특별자치)시$', ''));
      CONTINUE;
    END IF;
    part := coalesce(
      regexp_match(word, '^(.+(?:로|길))([0-9]+(?:번|가|나|다|라)?)(길)$'),
      regexp_match(regexp_replace(word, '특별자치도$', '도'), '^(.+?)(?:제(?=[0-9]))?((?:(?<![0-9·.,])[0-9][0-9·.,]*)?)(대로|도|시|군|구|읍|면|리|동|가|로|길)$')
    );
    IF part IS NULL OR NOT hyphen AND part[2] = '' THEN
      places := places || public.romanized(word);
      CONTINUE;
    END IF;
    head := CASE WHEN part[3] = '길' AND part[2] <> '' AND part[1] ~ '[로길]$' OR part[1] ~ '[0-9]가$' OR part[1] ~ '..동$' AND part[3] = '가'
      THEN public.romanized_place(part[1], hyphen)
      ELSE public.romanized(part[1]) END;
    places := places || concat(head, CASE WHEN part[2] <> '' THEN ' ' || lower(public.romanized(part[2])) END,
      CASE WHEN part[3] NOT IN ('길', '로', '대로') AND part[2] ~ '^([1-9]|10)$' THEN '(' || numbers[part[2]::integer] || ')' END,
      CASE WHEN hyphen THEN '-' END, lower(public.romanized(part[3])));
  END LOOP;
  RETURN array_to_string(places, ' ');
END $$;
