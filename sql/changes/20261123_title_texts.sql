-- Texts of titles that were misspelt or said something else than their rule.
UPDATE titles AS t SET content = c.content, standard = c.standard
FROM (
  VALUES
  (1, '반가워요! 첫발을 내디딘 새내기예요.', '처음 로그인하면 얻어요.'),
  (8, '먼 길도 마다하지 않아요.', '100km 이상 떨어진 두 지점에 리뷰를 쓰면 얻어요.'),
  (9, '대표 브랜드를 모두 모았어요.', '대표 브랜드마다 지점 1곳 이상에 리뷰를 쓰면 얻어요.'),
  (10, '청결, 보정, 소품까지 꼼꼼히 살펴요.', '청결, 보정, 소품을 모두 평가한 리뷰를 5개 쓰면 얻어요.'),
  (12, '사장님이 얼굴을 기억해요.', '한 지점에 날짜를 달리해 리뷰를 3번 쓰면 얻어요.'),
  (13, '밤이 깊어도 사진은 못 참아요.', '0시에서 5시 사이에 리뷰를 3개 쓰면 얻어요.')
) AS c (id, content, standard)
WHERE t.id = c.id;
