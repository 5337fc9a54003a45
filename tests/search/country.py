"""A small country for search tests: real names of regions and stations, and shops with names that are easily confused."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.make import Maker

PROVINCES = {
    "서울": "서울특별시", "인천": "인천광역시", "대전": "대전광역시", "광주": "광주광역시", "부산": "부산광역시", "전북": "전북특별자치도",
    "경남": "경상남도", "경북": "경상북도", "강원": "강원특별자치도", "경기": "경기도", "충남": "충청남도", "충북": "충청북도",
}  # fmt: skip

BRANDS = {
    "인생네컷": ["Life4Cuts", "라이프포컷"],
    "하루필름": ["Haru Film"],
    "포토이즘": ["Photoism"],
    "포토그레이": ["PHOTOGRAY"],
    "포토이즘박스": [],
    "홍대네컷": [],
    "포토": [],
}

# 시도, 시군구, 읍면동
REGIONS = {
    "서울특별시": {
        "강남구": ["역삼1동", "역삼2동", "신사동"],
        "서초구": ["서초동"],
        "중구": ["명동"],
        "성동구": ["성수1가1동"],
        "마포구": ["서교동"],
        "서대문구": ["신촌동"],
        "종로구": ["청운효자동"],
    },
    "부산광역시": {
        "중구": ["중앙동"],
        "부산진구": ["부전1동"],
        "해운대구": ["우1동"],
        "강서구": ["대저1동"],
    },
    "대구광역시": {"중구": ["동인동"], "달서구": ["신당동"]},
    "인천광역시": {"중구": ["신포동"], "서구": ["검암동"]},
    "대전광역시": {"중구": ["은행선화동"], "서구": ["둔산1동"]},
    "울산광역시": {"중구": ["중앙동"], "남구": ["삼산동"]},
    "광주광역시": {"동구": ["충장동"], "서구": ["치평동"]},
    "경기도": {
        "광주시": ["송정동"],
        "수원시 영통구": ["매탄1동"],
        "수원시 팔달구": ["매산동"],
        "성남시 분당구": ["서현1동"],
    },
    "강원특별자치도": {"춘천시": ["강남동", "중앙동"], "강릉시": ["중앙동"]},
    "경상남도": {"진주시": ["강남동", "중앙동"], "창원시 성산구": ["상남동"]},
    "전북특별자치도": {"전주시 완산구": ["중앙동"]},
    "제주특별자치도": {"제주시": ["노형동"], "서귀포시": ["중앙동"]},
    "세종특별자치시": {"세종시": ["도담동"]},
}

STATIONS = [
    ("강남", 127.0276, 37.4979, "서울 도시철도 2호선", "Gangnam"),
    ("강남", 127.0282, 37.4966, "신분당선", "Gangnam"),
    ("강남구청", 127.0412, 37.5172, "서울 도시철도 7호선", ""),
    ("홍대입구", 126.9237, 37.5568, "서울 도시철도 2호선", "Hongik Univ."),
    ("신촌", 126.9369, 37.5552, "서울 도시철도 2호선", "Sinchon"),
    ("신촌", 126.9425, 37.5598, "경의중앙선", "Sinchon"),
    ("서울숲", 127.0447, 37.5437, "분당선", "Seoul Forest"),
    ("서울", 126.9707, 37.5549, "서울 도시철도 1호선", "Seoul Station"),
    ("성수", 127.0561, 37.5446, "서울 도시철도 2호선", "Seongsu"),
    ("서면", 129.0592, 35.1578, "부산도시철도 1호선", "Seomyeon"),
    ("중앙", 129.0363, 35.1040, "부산도시철도 1호선", "Jungang"),
    ("중앙", 126.8385, 37.3158, "안산선", "Jungang"),
    ("시청", 126.9772, 37.5657, "서울 도시철도 1호선", "City Hall"),
    ("신천", 126.7862, 37.4391, "서해선", "Sincheon"),
]

# brand, name, longitude, latitude, address, regions
SHOPS = [
    ("인생네컷", "인생네컷 강남역점", 127.0280, 37.4985, "서울특별시 강남구 강남대로 396", "강남구/역삼1동"),
    ("인생네컷", "인생네컷 역삼점", 127.0365, 37.5006, "서울 강남구 테헤란로 152", "강남구/역삼2동"),
    ("인생네컷", "인생네컷 서울숲점", 127.0440, 37.5440, "서울특별시 성동구 왕십리로 83", "성동구/성수1가1동"),
    ("인생네컷", "인생네컷 성수점", 127.0480, 37.5445, "서울특별시 성동구 서울숲길 12", "성동구/성수1가1동"),
    ("인생네컷", "인생네컷 춘천명동점", 127.7290, 37.8800, "강원특별자치도 춘천시 명동길 11", "춘천시/중앙동"),
    ("인생네컷", "인생네컷 진주점", 128.0850, 35.1900, "경상남도 진주시 강남로 23", "진주시/강남동"),
    ("인생네컷", "인생네컷 홍대점", 126.9230, 37.5560, "서울특별시 마포구 어울마당로 1", "마포구/서교동"),
    ("인생네컷", "인생네컷 수원영통점", 127.0710, 37.2510, "경기도 수원시 영통구 봉영로 1", "수원시 영통구/매탄1동"),
    ("인생네컷", "인생네컷 해운대점", 129.1600, 35.1630, "부산광역시 해운대구 구남로 9", "해운대구/우1동"),
    ("인생네컷", "인생네컷", 126.9850, 37.5640, "서울특별시 중구 명동길 2", "서울특별시:중구/명동"),
    ("포토이즘", "포토이즘 강남역점", 127.0270, 37.4970, "서울특별시 서초구 서초대로 411", "서초구/서초동"),
    ("포토이즘", "포토이즘 강남구청역점", 127.0410, 37.5170, "서울특별시 강남구 학동로 426", "강남구/신사동"),
    ("포토이즘박스", "포토이즘박스 신사점", 127.0200, 37.5200, "서울특별시 강남구 가로수길 5", "강남구/신사동"),
    ("포토이즘", "포토이즘 전주점", 127.1440, 35.8150, "전북특별자치도 전주시 완산구 한옥길 1", "전주시 완산구/중앙동"),
    ("포토이즘", "포토이즘 신촌점", 126.9370, 37.5560, "서울특별시 서대문구 연세로 10", "서대문구/신촌동"),
    ("포토그레이", "포토그레이 홍대입구역점", 126.9240, 37.5570, "서울특별시 마포구 양화로 160", "마포구/서교동"),
    ("포토그레이", "포토그레이 대구동성로점", 128.5940, 35.8690, "대구광역시 중구 동성로 1", "대구광역시:중구/동인동"),
    ("하루필름", "하루필름 서면점", 129.0580, 35.1570, "부산광역시 부산진구 서면로 39", "부산진구/부전1동"),
    ("하루필름", "하루필름 남포점", 129.0300, 35.0990, "부산광역시 중구 남포길 3", "부산광역시:중구/중앙동"),
    ("하루필름", "하루필름 명동점", 126.9860, 37.5630, "서울특별시 중구 명동길 20", "서울특별시:중구/명동"),
    ("하루필름", "하루필름 제주점", 126.4800, 33.4850, "제주특별자치도 제주시 노형로 2", "제주시/노형동"),
    ("하루필름", "하루필름 인천점", 126.6200, 37.4730, "인천광역시 중구 신포로 2", "인천광역시:중구/신포동"),
    ("하루필름", "하루필름 종로점", 126.9900, 37.5700, "서울특별시 종로구 인생네컷길 4", "종로구/청운효자동"),
    ("홍대네컷", "홍대네컷 전북대점", 127.1290, 35.8460, "전북특별자치도 전주시 완산구 명륜길 1", "전주시 완산구/중앙동"),
    ("홍대네컷", "홍대네컷 광주점", 126.9150, 35.1480, "광주광역시 동구 충장로 3", "동구/충장동"),
    ("포토", "포토 경기광주점", 127.2550, 37.4100, "경기도 광주시 경안로 3", "광주시/송정동"),
    ("포토", "100% 사진관", 127.3840, 36.3510, "대전광역시 서구 둔산로 1", "대전광역시:서구/둔산1동"),
    (None, "신강남 스튜디오", 126.9780, 37.5650, "서울특별시 중구 세종대로 110", "서울특별시:중구/명동"),
    (None, "강남스타일 사진관", 126.8300, 35.1500, "광주광역시 서구 상무대로 7", "광주광역시:서구/치평동"),
    (None, "Take 31", 127.0560, 37.5440, "서울특별시 성동구 성수이로 7", "성동구/성수1가1동"),
    (None, "포토그라피 진주", 128.0900, 35.1950, "경상남도 진주시 중앙로 9", "진주시/중앙동"),
]  # fmt: skip


@dataclass
class Country:
    """Ids of brands, regions and shops by name."""

    brands: dict[str, int] = field(default_factory=dict)
    regions: dict[str, int] = field(default_factory=dict)
    shops: dict[str, int] = field(default_factory=dict)


def build(make: Maker) -> Country:
    """Inserts the country into an empty database."""
    country = Country()
    for number, (name, aliases) in enumerate(BRANDS.items()):
        country.brands[name] = make.brand(name, representative=number < 4)
        for alias in aliases:
            make.brand_alias(country.brands[name], alias)
    make.sql(
        "UPDATE brands SET parent_id = %s WHERE name = '포토이즘박스'", country.brands["포토이즘"]
    )
    _regions(make, country)
    make.sql("SELECT add_province_aliases()")
    for name, lon, lat, line, name_en in STATIONS:
        make.station(name, at=(lon, lat), line=line, name_en=name_en)
    for brand, name, lon, lat, address, path in SHOPS:
        _shop(make, country, brand, name, (lon, lat), address, path)
    return country


def _regions(make: Maker, country: Country) -> None:
    for sido, children in REGIONS.items():
        country.regions[sido] = make.region(sido, level="sido")
        for sigungu, dongs in children.items():
            sigungu_id = make.region(sigungu, parent=country.regions[sido])
            country.regions[f"{sido}:{sigungu}"] = country.regions[sigungu] = sigungu_id
            for dong in dongs:
                country.regions[f"{sigungu_id}/{dong}"] = make.region(
                    dong, level="dong", parent=sigungu_id
                )


def _shop(
    make: Maker,
    country: Country,
    brand: str | None,
    name: str,
    at: tuple[float, float],
    address: str,
    path: str,
) -> None:
    sigungu, dong = path.split("/")
    sigungu_id = country.regions[sigungu]
    country.shops[name] = make.shop(
        name,
        at=at,
        brand_id=country.brands[brand] if brand else None,
        road_address=address,
        sido_id=make.sql("SELECT parent_id FROM regions WHERE id = %s", sigungu_id),
        sigungu_id=sigungu_id,
        dong_id=country.regions[f"{sigungu_id}/{dong}"],
    )


def make_listed(
    make: Maker, shops: dict[str, tuple[tuple[float, float], str, str]], brands: dict[str, int]
) -> dict[str, int]:
    """Creates shops, given position, address and district by shop name; returns region ids by name.

    A shop name begins with its brand. A district name that several provinces share is preceded by its province (인천 중구)."""
    regions: dict[str, int] = {}
    for name, (at, address, district) in shops.items():
        province = address.split()[0]
        if province not in regions:
            regions[province] = make.region(PROVINCES[province], level="sido")
        if district not in regions:
            short = district.removeprefix(f"{province} ")
            regions[district] = make.region(short, parent=regions[province])
        make.shop(
            name, at=at, brand_id=brands[name.split()[0]], road_address=address,
            sido_id=regions[province], sigungu_id=regions[district],
        )  # fmt: skip
    return regions
