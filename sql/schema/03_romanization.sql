-- Romanisation of Korean (문화관광부 고시 2000-8). Immutable, because indexes of the search call it, so its exceptions are
-- constants and no table.

CREATE FUNCTION romanization_exceptions() RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{"민용하": "Min Yongha", "송나리": "Song Nari", "한복남": "Han Boknam", "홍빛나": "Hong Bitna"}'::jsonb;
COMMENT ON FUNCTION romanization_exceptions() IS 'Persons, romanised with a blank and without sound changes; a change needs new indexes over romanized().';

-- The spelling does not tell compounds with an inserted ㄴ, and verbs in which ㅎ joins a consonant. They are romanised so within
-- longer names as well (학여울역).
CREATE FUNCTION spoken_words() RETURNS text []
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{{신문로,신문노},{학여울,항녀울},{알약,알략},{잡혀,자펴},{굳히,구치},{맞히,마치}}'::text [];
COMMENT ON FUNCTION spoken_words() IS 'Words and how they are spoken, where the spelling does not tell; a change needs new indexes over romanized().';

-- Syllables are computed from their code points: each initial has 21 * 28 syllables, each vowel 28. A letter for which the rule names
-- a sound of its own depends on the next initial: consonants before a vowel move over (백암 Baegam), ㄱㄷㅂ become nasal before
-- ㄴㅁㄹ (백마 Baengma, 왕십리 Wangsimni), ㄴㄹ and ㄹㄴ become ll (신라 Silla, 별내 Byeollae), ㄹ after others becomes n (종로 Jongno),
-- ㄷ and ㅌ before 이 become j and ch (해돋이 haedoji), ㅎ before ㄱㄷㅈ makes them k, t, ch (좋고 joko). ㅎ after a consonant stays,
-- as the rule has it for nouns (묵호 Mukho), and tensed sounds are not written (압구정 Apgujeong).
CREATE FUNCTION romanized(value text, sound_changes boolean DEFAULT true) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  persons constant jsonb := public.romanization_exceptions();
  initials constant text[] := '{g,kk,n,d,tt,r,m,b,pp,s,ss,"",j,jj,ch,k,t,p,h}'::text[];
  vowels constant text[] := '{a,ae,ya,yae,eo,e,yeo,ye,o,wa,wae,oe,yo,u,wo,we,wi,yu,eu,ui,i}'::text[];
  -- none ㄱㄲㄳ ㄴㄵㄶ ㄷ ㄹㄺㄻㄼㄽㄾㄿㅀ ㅁ ㅂㅄ ㅅㅆ ㅇ ㅈㅊㅋㅌㅍㅎ: `finals` at the end of a word, `moved` before a vowel
  finals constant text[] := '{"",k,k,k,n,n,n,t,l,k,m,l,l,l,p,l,m,p,p,t,t,ng,t,t,k,t,p,t}'::text[];
  moved constant text[] := '{"",g,kk,ks,n,nj,n,d,r,lg,lm,lb,ls,lt,lp,r,m,b,ps,s,ss,ng,j,ch,k,t,p,""}'::text[];
  signs text[];
  latin text := '';
  word text[];
  sign text;
  code integer;
  final integer := 0;
  begins boolean := true;
  initial integer;
  onset text;
  coda text;
BEGIN
  IF sound_changes AND persons ? value THEN
    RETURN persons ->> value;
  END IF;
  IF sound_changes THEN
    FOREACH word SLICE 1 IN ARRAY public.spoken_words() LOOP
      IF strpos(value, word[1]) > 0 THEN
        value := replace(value, word[1], word[2]);
      END IF;
    END LOOP;
  END IF;
  signs := string_to_array(normalize(value, NFC), NULL);
  FOREACH sign IN ARRAY signs LOOP
    code := ascii(sign) - 44032;
    IF code NOT BETWEEN 0 AND 11171 THEN
      latin := latin || finals[final + 1] || sign;
      final := 0;
      begins := sign !~ '[[:alnum:]]';
      CONTINUE;
    END IF;
    initial := code / 588;
    onset := initials[initial + 1];
    coda := finals[final + 1];
    -- finals: 6 ㄶ, 7 ㄷ, 13 ㄾ, 15 ㅀ, 25 ㅌ, 27 ㅎ; initials: 0 ㄱ, 2 ㄴ, 3 ㄷ, 5 ㄹ, 6 ㅁ, 9 ㅅ, 11 ㅇ, 12 ㅈ
    IF sound_changes AND final > 0 THEN
      IF initial = 11 THEN
        coda := moved[final + 1];
        IF code % 588 / 28 = 20 AND final IN (7, 25, 13) THEN
          coda := CASE final WHEN 7 THEN 'j' WHEN 25 THEN 'ch' ELSE 'lch' END;
        END IF;
      ELSIF final IN (6, 15, 27) AND initial IN (0, 3, 12) THEN
        coda := CASE final WHEN 6 THEN 'n' WHEN 15 THEN 'l' ELSE '' END;
        onset := CASE initial WHEN 0 THEN 'k' WHEN 3 THEN 't' ELSE 'ch' END;
      ELSIF final = 27 AND initial = 9 THEN
        coda := '';
      ELSIF initial IN (2, 5, 6) THEN
        IF initial = 5 THEN
          onset := CASE WHEN coda IN ('n', 'l') THEN 'l' ELSE 'n' END;
        ELSIF initial = 2 AND coda = 'l' THEN
          onset := 'l';
        END IF;
        coda := CASE coda WHEN 'k' THEN 'ng' WHEN 't' THEN 'n' WHEN 'p' THEN 'm'
          WHEN 'n' THEN CASE initial WHEN 5 THEN 'l' ELSE 'n' END ELSE coda END;
      END IF;
    END IF;
    latin := latin || coda;
    onset := onset || vowels[code % 588 / 28 + 1];
    latin := latin || CASE WHEN begins THEN initcap(onset) ELSE onset END;
    begins := false;
    final := code % 28;
  END LOOP;
  RETURN latin || finals[final + 1];
END $$;
COMMENT ON FUNCTION romanized(text, boolean)
IS 'Korean in Latin letters by 고시 2000-8, each word with a capital, other characters as they are; without sound changes letter by letter.';

-- Administrative units and kinds of roads follow a hyphen without sound change across it (포곡읍 Pogok-eup); without a hyphen, as
-- English lists write it, the unit is part of the word (Pogogeup). Numbers are written as the rule has it (봉천1동 Bongcheon
-- 1(il)-dong, 종로2가 Jongno 2(i)-ga), but the number of a road is not spelt out (김포한강4로 Gimpohangang 4-ro). Only a road keeps
-- its unit before the number of a lane: 강남대로98길 Gangnam-daero 98-gil, 명동8길 Myeongdong 8-gil. Metropolitan cities lose their
-- unit, as English usage has it.
CREATE FUNCTION romanized_place(value text, hyphen boolean) RETURNS text
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
COMMENT ON FUNCTION romanized_place(text, boolean)
IS 'Regions and roads in Latin letters by 고시 2000-8: 강남구 Gangnam-gu, 종로2가 Jongno 2(i)-ga, 강남대로 Gangnam-daero; without hyphen the unit is part of the word.';

CREATE FUNCTION romanized_place(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN romanized_place(value, true);
COMMENT ON FUNCTION romanized_place(text) IS 'romanized_place with units after a hyphen.';

-- The result has the sound_key of romanized(), except for spoken_words(); romanized() is too slow for an index over every shop. The body names
-- schemas, so that a restore, which runs without a search path, can compute the index.
CREATE FUNCTION latin_letters(letters text, sound_changes boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  s text := letters;
BEGIN
  -- two consonants at the end of a syllable are rare, and their sound depends on the next
  IF s ~ '[\u11aa\u11ac\u11ad\u11b0-\u11b6\u11b9]' THEN
    RETURN lower(public.romanized(letters, sound_changes));
  END IF;
  IF sound_changes THEN
    IF s ~ '[\u11ae\u11ba\u11bb\u11bd\u11be\u11c0\u11c2][\u1100\u1103\u1109\u110b\u110c]' THEN
      s := regexp_replace(s, '\u11c2(?=[\u1100\u1103\u1109\u110b\u110c])', '', 'g');
      s := replace(replace(s, U&'\11ae\110b\1175', U&'\110c\1175'), U&'\11c0\110b\1175', U&'\110e\1175');
      s := replace(replace(replace(replace(s, U&'\11ba\110b', U&'\1109'), U&'\11bb\110b', U&'\1109'), U&'\11bd\110b', U&'\110c'),
        U&'\11be\110b', U&'\110e');
    END IF;
    IF s ~ '[\u11a8-\u11c2][\u1102\u1105\u1106]' THEN
      s := regexp_replace(s, '\u11ab\u1105|\u11af[\u1102\u1105]', U&'\11af\1105', 'g');
      s := regexp_replace(s, '([\u11a8-\u11ae\u11b7-\u11c2])\u1105', U&'\\1\1102', 'g');
      s := regexp_replace(s, '[\u11a8\u11a9\u11bf](?=[\u1102\u1106])', U&'\11bc', 'g');
      s := regexp_replace(s, '[\u11b8\u11c1](?=[\u1102\u1106])', U&'\11b7', 'g');
      s := regexp_replace(s, '[\u11ae\u11ba\u11bb\u11bd\u11be\u11c0\u11c2](?=[\u1102\u1106])', U&'\11ab', 'g');
    END IF;
  END IF;
  s := translate(
    s,
    U&'\1100\1101\1102\1103\1104\1105\1106\1107\1108\1109\110a\110c\110d\110f\1110\1111\1112\1161\1166\1169\116e\1175'
    || U&'\11a8\11a9\11ab\11ae\11af\11b7\11b8\11ba\11bb\11bd\11be\11bf\11c0\11c1\11c2\110b',
    'gkndtrmbpssjjktphaeouikkntlmpttttktpt'
  );
  s := replace(replace(replace(replace(s, U&'\110e', 'ch'), U&'\1162', 'ae'), U&'\1163', 'ya'), U&'\1164', 'yae');
  s := replace(replace(replace(replace(s, U&'\1165', 'eo'), U&'\1167', 'yeo'), U&'\1168', 'ye'), U&'\116a', 'wa');
  s := replace(replace(replace(replace(s, U&'\116b', 'wae'), U&'\116c', 'oe'), U&'\116d', 'yo'), U&'\116f', 'wo');
  s := replace(replace(replace(replace(s, U&'\1170', 'we'), U&'\1171', 'wi'), U&'\1172', 'yu'), U&'\1173', 'eu');
  RETURN replace(replace(s, U&'\1174', 'ui'), U&'\11bc', 'ng');
END $$;
COMMENT ON FUNCTION latin_letters(text, boolean)
IS 'Letters of jamo() as Latin ones that have the sound_key of their romanisation, with sound changes or letter by letter.';
