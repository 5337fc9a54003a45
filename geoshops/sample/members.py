"""Members of the sample with nickname, sign-up time and home province."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from geoshops.sample.clock import DAY_S, Clock, second_of_day
from geoshops.sample.places import spots

STAYS_HOME = 0.8
ADJECTIVES = (
    "웃는", "졸린", "배고픈", "신나는", "느긋한", "수줍은", "용감한", "반짝이는", "따뜻한", "조용한", "엉뚱한", "부지런한", "행복한", "동그란",
    "새침한", "든든한", "푸른", "하얀", "작은", "달리는",
)  # fmt: skip
NOUNS = (
    "고양이", "강아지", "토끼", "여우", "다람쥐", "펭귄", "수달", "너구리", "고래", "참새", "두루미", "감자", "고구마", "복숭아", "딸기", "만두",
    "호떡", "식빵", "구름", "바람", "달빛", "별똥별", "은하수", "나침반", "필름", "네컷수집가", "사진사", "여행자", "산책러", "모험가",
)  # fmt: skip


class Member(NamedTuple):
    """A member; `joined` is a second of the sample's clock, `home` a province's short name."""

    number: int
    nickname: str
    joined: int
    home: str


class Roster:
    """Members ordered by sign-up time, from whom visitors of a shop are drawn."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = members
        self._everyone = _Queue(members)
        homes = {m.home for m in members}
        self._at_home = {home: _Queue([m for m in members if m.home == home]) for home in homes}

    def someone(self, random: Random, second: int, sido: str) -> Member | None:
        """Draws a member who had signed up by then, usually from the province; None if there is none."""
        near = self._at_home.get(sido)
        if near and random.random() < STAYS_HOME and (found := near.pick(random, second)):
            return found
        return self._everyone.pick(random, second)


class _Queue:
    def __init__(self, members: Sequence[Member]) -> None:
        self._members = members
        self._joined = [m.joined for m in members]

    def pick(self, random: Random, second: int) -> Member | None:
        """Draws an index with a bias to the front of the list, so that some members write much more than others."""
        count = bisect_right(self._joined, second)
        return self._members[int(count * random.random() ** 1.6)] if count else None


def members(random: Random, count: int, clock: Clock) -> list[Member]:
    """Generates members ordered by sign-up time; the first tenth signs up at the start."""
    homes = [s.dong.sigungu.sido.short for s in spots() for _ in range(s.weight)]
    founders = max(1, count // 10)
    seconds = sorted(
        int(clock.days * (0 if n < founders else random.random() ** 0.7)) * DAY_S
        + (n if n < founders else second_of_day(random))
        for n in range(count)
    )
    nicknames: set[str] = set()
    return [
        Member(n, _nickname(random, nicknames), joined, homes[int(random.random() * len(homes))])
        for n, joined in enumerate(seconds)
    ]


def _nickname(random: Random, taken: set[str]) -> str:
    pair = f"{ADJECTIVES[int(random.random() * len(ADJECTIVES))]}{NOUNS[int(random.random() * len(NOUNS))]}"
    nickname = pair if random.random() < 0.4 else f"{pair}{int(random.random() * 100):02}"
    while nickname in taken:
        nickname = f"{pair}{int(random.random() * 10**7)}"
    taken.add(nickname)
    return nickname
