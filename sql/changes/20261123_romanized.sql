-- Romanisation of Korean (문화관광부 고시 2000-8). Immutable, because indexes of the search stand on it; therefore the names for
-- which the rule needs their meaning are no table: compounds with an n between their parts, verbs in which ㅎ joins a consonant, persons.
CREATE FUNCTION romanization_exceptions() RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{
  "신문로": "Sinmunno", "학여울": "Hangnyeoul", "알약": "Allyak",
  "잡혀": "Japyeo", "굳히다": "Guchida", "맞히다": "Machida",
  "민용하": "Min Yongha", "송나리": "Song Nari", "한복남": "Han Boknam", "홍빛나": "Hong Bitna"
}'::jsonb;
COMMENT ON FUNCTION romanization_exceptions() IS 'Names whose romanisation needs their meaning, with it; a change needs new indexes over romanized().';

-- Syllables are computed from their code points: 21 * 28 syllables an initial, 28 a vowel. A letter for which the rule names
-- a sound of its own depends on the next initial: consonants before a vowel move over (백암 Baegam), ㄱㄷㅂ become nasal before
-- ㄴㅁㄹ (백마 Baengma, 왕십리 Wangsimni), ㄴㄹ and ㄹㄴ become ll (신라 Silla, 별내 Byeollae), ㄹ after others becomes n (종로 Jongno),
-- ㄷ and ㅌ before 이 become j and ch (해돋이 haedoji), ㅎ before ㄱㄷㅈ makes them k, t, ch (좋고 joko). ㅎ after a consonant stays,
-- as the rule has it for nouns (묵호 Mukho), and tensed sounds are not written (압구정 Apgujeong).
CREATE FUNCTION romanized(value text, sound_changes boolean DEFAULT true) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  exceptions constant jsonb := public.romanization_exceptions();
  initials constant text[] := '{g,kk,n,d,tt,r,m,b,pp,s,ss,"",j,jj,ch,k,t,p,h}'::text[];
  vowels constant text[] := '{a,ae,ya,yae,eo,e,yeo,ye,o,wa,wae,oe,yo,u,wo,we,wi,yu,eu,ui,i}'::text[];
  -- none ㄱㄲㄳ ㄴㄵㄶ ㄷ ㄹㄺㄻㄼㄽㄾㄿㅀ ㅁ ㅂㅄ ㅅㅆ ㅇ ㅈㅊㅋㅌㅍㅎ: at the end of a word, and before a vowel
  finals constant text[] := '{"",k,k,k,n,n,n,t,l,k,m,l,l,l,p,l,m,p,p,t,t,ng,t,t,k,t,p,t}'::text[];
  moved constant text[] := '{"",g,kk,ks,n,nj,n,d,r,lg,lm,lb,ls,lt,lp,r,m,b,ps,s,ss,ng,j,ch,k,t,p,""}'::text[];
  signs text[] := string_to_array(normalize(value, NFC), NULL);
  latin text := '';
  sign text;
  code integer;
  final integer := 0;
  begins boolean := true;
  initial integer;
  onset text;
  coda text;
BEGIN
  IF sound_changes AND exceptions ? value THEN
    RETURN exceptions ->> value;
  END IF;
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

-- Administrative units and kinds of roads follow a hyphen without sound change across it, numbers as the rule writes them
-- (봉천1동 Bongcheon 1(il)-dong); metropolitan cities lose theirs, as English usage has it.
CREATE FUNCTION romanized_place(value text) RETURNS text
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
      regexp_match(regexp_replace(word, '특별자치도$', '도'), '^(.+?)(?:제(?=[0-9]))?([0-9·.,]*)(대로|도|시|군|구|읍|면|리|동|가|로|길)$')
    );
    IF part IS NULL THEN
      places := places || public.romanized(word);
      CONTINUE;
    END IF;
    head := CASE WHEN part[3] = '길' AND part[2] <> '' OR part[1] ~ '[0-9]가$' THEN public.romanized_place(part[1])
      ELSE public.romanized(part[1]) END;
    places := places || concat(head, CASE WHEN part[2] <> '' THEN ' ' || lower(public.romanized(part[2])) END,
      CASE WHEN part[3] <> '길' AND part[2] ~ '^([1-9]|10)$' THEN '(' || numbers[part[2]::integer] || ')' END,
      '-', lower(public.romanized(part[3])));
  END LOOP;
  RETURN array_to_string(places, ' ');
END $$;
COMMENT ON FUNCTION romanized_place(text)
IS 'Regions and roads in Latin letters by 고시 2000-8, units after a hyphen: 강남구 Gangnam-gu, 종로2가 Jongno 2(i)-ga, 강남대로 Gangnam-daero.';
