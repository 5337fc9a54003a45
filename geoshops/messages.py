"""The catalogue of errors: codes with their HTTP status, reasons with their messages in two languages."""

from __future__ import annotations

# code → HTTP status
STATUS = {
    "001": 400, "002": 400, "003": 400,
    "100": 401, "101": 401, "102": 401, "103": 401, "104": 401,
    "105": 400, "106": 502, "107": 400,
    "400": 400, "403": 403, "404": 404, "405": 405, "406": 406, "409": 409, "413": 413, "415": 415,
    "422": 422, "429": 429, "500": 500, "503": 503,
}  # fmt: skip

# reason → (code, English, Korean); a name in braces is filled in
CATALOGUE: dict[str, tuple[str, str, str]] = {
    "not_an_object": ("001", "[body] must be a JSON object", "[body] 값은 JSON 객체여야 합니다"),
    "missing": ("003", "[{name}] required parameter is missing", "[{name}] 필수 파라미터가 누락되었습니다"),
    "blank": ("002", "[{name}] must not be blank", "[{name}] 값은 비어 있을 수 없습니다"),
    "repeated": ("002", "[{name}] must be given once", "[{name}] 값은 한 번만 보낼 수 있습니다"),
    "not_a_number": ("002", "[{name}] must be a decimal number", "[{name}] 값은 십진수여야 합니다"),
    "not_an_integer": ("002", "[{name}] must be an integer", "[{name}] 값은 정수여야 합니다"),
    "not_a_boolean": ("002", "[{name}] must be true or false", "[{name}] 값은 true 또는 false여야 합니다"),
    "not_text": ("002", "[{name}] must be text", "[{name}] 값은 문자열이어야 합니다"),
    "out_of_range": (
        "002",
        "[{name}] must be between {low} and {high}",
        "[{name}] 값은 {low} 이상 {high} 이하여야 합니다",
    ),
    "swapped": (
        "002",
        "[{name}] must be between {low} and {high}; latitude and longitude seem to be swapped",
        "[{name}] 값은 {low} 이상 {high} 이하여야 합니다. 위도와 경도가 바뀐 것 같습니다",
    ),
    "too_long": (
        "002",
        "[{name}] must have at most {high} characters",
        "[{name}] 값은 {high}자 이하여야 합니다",
    ),
    "bad_characters": (
        "002",
        "[{name}] must not contain control characters or unpaired surrogates",
        "[{name}] 값에 제어 문자를 쓸 수 없습니다",
    ),
    "not_one_of": (
        "002",
        "[{name}] must be one of {choices}",
        "[{name}] 값은 {choices} 중 하나여야 합니다",
    ),
    "bad_box": (
        "002",
        "[{name}] must be minLng,minLat,maxLng,maxLat in degrees",
        "[{name}] 값은 minLng,minLat,maxLng,maxLat 형식이어야 합니다",
    ),
    "bad_box_with_heights": (
        "002",
        "[{name}] must be minLng,minLat,maxLng,maxLat in degrees, or with heights"
        " minLng,minLat,minHeight,maxLng,maxLat,maxHeight",
        "[{name}] 값은 minLng,minLat,maxLng,maxLat 또는 minLng,minLat,minHeight,maxLng,maxLat,maxHeight 형식이어야 합니다",
    ),
    "bad_interval": (
        "002",
        "[{name}] must be an RFC 3339 time, or two separated by / of which one may be .. or empty",
        "[{name}] 값은 RFC 3339 시각이거나 /로 나눈 두 시각이어야 하며 한쪽은 ..이거나 비어 있을 수 있습니다",
    ),
    "unknown_parameter": (
        "002",
        "[{name}] is not a query parameter of this resource",
        "[{name}] 이 리소스에 없는 파라미터입니다",
    ),
    "page_too_deep": (
        "002",
        "[{name}] page times size must be at most {high}",
        "[{name}] page와 size의 곱은 {high} 이하여야 합니다",
    ),
    "no_token": ("100", "[Authorization] header is missing", "[Authorization] 헤더가 없습니다"),
    "bad_token": ("101", "[Authorization] the token is not valid", "[Authorization] 유효하지 않은 토큰입니다"),
    "expired_token": ("102", "[Authorization] the access token expired", "[Authorization] 만료된 액세스 토큰입니다"),
    "too_many_reviews": (
        "400",
        "[shop-id] no more reviews of this shop by one member",
        "[shop-id] 이 매장에는 리뷰를 더 쓸 수 없습니다",
    ),
    "not_author": ("403", "only the author may change this review", "작성자만 리뷰를 바꿀 수 있습니다"),
    "bad_key": (
        "002",
        "[{name}] must have 1 to 255 visible ASCII characters without spaces",
        "[{name}] 값은 공백 없는 1~255자의 ASCII 문자여야 합니다",
    ),
    "key_reused": (
        "422",
        "[Idempotency-Key] was used for another request",
        "[Idempotency-Key] 다른 요청에 이미 사용된 값입니다",
    ),
    "expired_refresh": (
        "103",
        "[refresh_token] the refresh token expired; sign in again",
        "[refresh_token] 만료된 리프레시 토큰입니다. 다시 로그인하세요",
    ),
    "bad_refresh": (
        "104",
        "[refresh_token] the refresh token is not valid; sign in again",
        "[refresh_token] 유효하지 않은 리프레시 토큰입니다. 다시 로그인하세요",
    ),
    "code_rejected": (
        "105",
        "[code] the identity provider rejected the authorization code",
        "[code] 인증 제공자가 인가 코드를 거부했습니다",
    ),
    "verifier_rejected": (
        "105",
        "[code_verifier] the identity provider rejected the PKCE verifier",
        "[code_verifier] 인증 제공자가 PKCE verifier를 거부했습니다",
    ),
    "nonce_differs": (
        "105",
        "[nonce] the authorization code belongs to another sign-in",
        "[nonce] 다른 로그인 요청의 인가 코드입니다",
    ),
    "provider_failed": (
        "106",
        "the identity provider did not answer as it should; try again",
        "인증 제공자가 올바르게 응답하지 않았습니다. 다시 시도하세요",
    ),
    "provider_busy": (
        "106",
        "the identity provider is slow and too many sign-ins wait for it; try again",
        "인증 제공자의 응답이 지연되고 있습니다. 잠시 후 다시 시도하세요",
    ),
    "unlink_token_sealed": (
        "106",
        "the token for unlinking was sealed with a signing key that is not set; put it into"
        " GEOSHOPS_PREVIOUS_SECRET_KEY",
        "연결 해제 토큰을 암호화한 키가 설정되어 있지 않습니다. GEOSHOPS_PREVIOUS_SECRET_KEY에 넣으세요",
    ),
    "redirect_not_allowed": (
        "107",
        "[redirect_uri] is not on the list of allowed addresses",
        "[redirect_uri] 허용되지 않은 주소입니다",
    ),
    "provider_not_allowed": (
        "107",
        "[provider] is not configured here",
        "[provider] 설정되지 않은 인증 제공자입니다",
    ),
    "nickname_rule": (
        "002",
        "[{name}] must have 2 to 20 letters or digits; blank, _, - and . may stand between",
        "[{name}] 값은 글자와 숫자 2~20자여야 하며 공백, _, -, . 을 사용할 수 있습니다",
    ),
    "nickname_taken": (
        "409",
        "[nickname] is already used",
        "[nickname] 이미 사용 중인 닉네임입니다",
    ),
    "title_not_held": (
        "400",
        "[member-title-id] the member does not hold this title",
        "[member-title-id] 보유하지 않은 칭호입니다",
    ),
    "not_found": ("404", "{thing} cannot be found", "{thing_ko}을(를) 찾을 수 없습니다"),
    "method_not_allowed": ("405", "[{name}] method is not allowed here", "[{name}] 허용되지 않는 메서드입니다"),
    "not_acceptable": ("406", "[Accept] no representation fits", "[Accept] 제공할 수 없는 형식입니다"),
    "too_large": ("413", "[body] must have at most {high} bytes", "[body] 값은 {high}바이트 이하여야 합니다"),
    "not_json": (
        "415",
        "[Content-Type] must be application/json",
        "[Content-Type] 값은 application/json이어야 합니다",
    ),
    "not_utf8": (
        "415",
        "[Content-Type] charset must be utf-8",
        "[Content-Type] charset 값은 utf-8이어야 합니다",
    ),
    "encoded": (
        "415",
        "[Content-Encoding] must be identity or absent",
        "[Content-Encoding] 값은 identity이거나 없어야 합니다",
    ),
    "conflict": ("409", "another request changed the same thing; try again", "동시에 처리된 요청과 충돌했습니다"),
    "too_many_requests": ("429", "too many requests; try again later", "요청이 너무 많습니다"),
    "bad_request": ("002", "[request] is malformed", "[request] 잘못된 요청입니다"),
    "unexpected": ("500", "something unexpected happened", "예기치 않은 오류가 발생했습니다"),
    "overloaded": (
        "503",
        "the service is overloaded; try again shortly",
        "요청이 너무 많아 처리할 수 없습니다. 잠시 후 다시 시도하세요",
    ),
    "unreachable": (
        "503",
        "the service cannot respond now; try again shortly",
        "서비스가 지금 응답할 수 없습니다. 잠시 후 다시 시도하세요",
    ),
    "unavailable": (
        "503",
        "the database is not available; try again shortly",
        "데이터베이스를 사용할 수 없습니다. 잠시 후 다시 시도하세요",
    ),
}  # fmt: skip

THINGS_KO = {
    "shop": "매장",
    "review": "리뷰",
    "title": "칭호",
    "member": "회원",
    "session": "세션",
    "brand": "브랜드",
    "route": "경로",
    "tile": "타일",
}
