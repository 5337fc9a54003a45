"""Catalogue of API errors: HTTP status by code, code and messages by reason."""

from __future__ import annotations

# code → HTTP status
STATUS = {
    "001": 400, "002": 400, "003": 400,
    "100": 401, "101": 401, "102": 401, "103": 401, "104": 401,
    "105": 400, "106": 502, "107": 400,
    "400": 400, "403": 403, "404": 404, "405": 405, "406": 406, "409": 409, "413": 413, "415": 415,
    "422": 422, "429": 429, "500": 500, "503": 503,
}  # fmt: skip

# reason → (code, English, Korean); names in braces are placeholders
CATALOGUE: dict[str, tuple[str, str, str]] = {
    "not_an_object": ("001", "[body] must be a JSON object", "[body] 값은 JSON 객체여야 해요"),
    "missing": ("003", "[{name}] required parameter is missing", "[{name}] 필수 파라미터가 빠졌어요"),
    "blank": ("002", "[{name}] must not be blank", "[{name}] 값은 비워 둘 수 없어요"),
    "repeated": ("002", "[{name}] must be given once", "[{name}] 값은 한 번만 보낼 수 있어요"),
    "not_a_number": ("002", "[{name}] must be a decimal number", "[{name}] 값은 십진수여야 해요"),
    "not_an_integer": ("002", "[{name}] must be an integer", "[{name}] 값은 정수여야 해요"),
    "not_a_boolean": ("002", "[{name}] must be true or false", "[{name}] 값은 true 또는 false여야 해요"),
    "not_text": ("002", "[{name}] must be text", "[{name}] 값은 문자열이어야 해요"),
    "out_of_range": (
        "002",
        "[{name}] must be between {low} and {high}",
        "[{name}] 값은 {low} 이상 {high} 이하여야 해요",
    ),
    "swapped": (
        "002",
        "[{name}] must be between {low} and {high}; latitude and longitude seem to be swapped",
        "[{name}] 값은 {low} 이상 {high} 이하여야 해요. 위도와 경도가 바뀐 것 같아요",
    ),
    "too_long": (
        "002",
        "[{name}] must have at most {high} characters",
        "[{name}] 값은 {high}자 이하여야 해요",
    ),
    "bad_characters": (
        "002",
        "[{name}] must not contain control characters or unpaired surrogates",
        "[{name}] 값에는 제어 문자를 쓸 수 없어요",
    ),
    "not_one_of": (
        "002",
        "[{name}] must be one of {choices}",
        "[{name}] 값은 {choices} 중 하나여야 해요",
    ),
    "bad_box": (
        "002",
        "[{name}] must be minLng,minLat,maxLng,maxLat in degrees",
        "[{name}] 값은 minLng,minLat,maxLng,maxLat 형식이어야 해요",
    ),
    "bad_box_with_heights": (
        "002",
        "[{name}] must be minLng,minLat,maxLng,maxLat in degrees, or with heights"
        " minLng,minLat,minHeight,maxLng,maxLat,maxHeight",
        "[{name}] 값은 minLng,minLat,maxLng,maxLat 또는 minLng,minLat,minHeight,maxLng,maxLat,maxHeight 형식이어야 해요",
    ),
    "bad_interval": (
        "002",
        "[{name}] must be an RFC 3339 time, or two separated by / of which one may be .. or empty",
        "[{name}] 값은 RFC 3339 시각이거나 /로 나눈 두 시각이어야 하고, 한쪽은 .. 또는 빈 값이어도 돼요",
    ),
    "unknown_parameter": (
        "002",
        "[{name}] is not a query parameter of this resource",
        "[{name}] 이 리소스에 없는 파라미터예요",
    ),
    "page_too_deep": (
        "002",
        "[{name}] page times size must be at most {high}",
        "[{name}] page와 size의 곱은 {high} 이하여야 해요",
    ),
    "no_token": ("100", "[Authorization] header is missing", "[Authorization] 헤더가 없어요"),
    "bad_token": ("101", "[Authorization] the token is not valid", "[Authorization] 유효하지 않은 토큰이에요"),
    "expired_token": ("102", "[Authorization] the access token expired", "[Authorization] 만료된 액세스 토큰이에요"),
    "too_many_reviews": (
        "400",
        "[shop-id] you have reached the review limit for this shop",
        "[shop-id] 이 지점에는 리뷰를 더 쓸 수 없어요",
    ),
    "not_author": ("403", "only the author may change this review", "작성자만 리뷰를 수정하거나 삭제할 수 있어요"),
    "bad_key": (
        "002",
        "[{name}] must have 1 to 255 visible ASCII characters without spaces",
        "[{name}] 값은 공백 없는 ASCII 문자 1~255자여야 해요",
    ),
    "key_reused": (
        "422",
        "[Idempotency-Key] was used for another request",
        "[Idempotency-Key] 다른 요청에 이미 사용한 값이에요",
    ),
    "expired_refresh": (
        "103",
        "[refresh_token] the refresh token expired; sign in again",
        "[refresh_token] 만료된 리프레시 토큰이에요. 다시 로그인해 주세요",
    ),
    "bad_refresh": (
        "104",
        "[refresh_token] the refresh token is not valid; sign in again",
        "[refresh_token] 유효하지 않은 리프레시 토큰이에요. 다시 로그인해 주세요",
    ),
    "code_rejected": (
        "105",
        "[code] the identity provider rejected the authorization code",
        "[code] 인증 제공자가 인가 코드를 거부했어요",
    ),
    "verifier_rejected": (
        "105",
        "[code_verifier] the identity provider rejected the PKCE verifier",
        "[code_verifier] 인증 제공자가 PKCE verifier를 거부했어요",
    ),
    "nonce_differs": (
        "105",
        "[nonce] the authorization code belongs to another sign-in",
        "[nonce] 다른 로그인 요청의 인가 코드예요",
    ),
    "provider_failed": (
        "106",
        "the identity provider is unreachable or returned an invalid response; try again",
        "인증 제공자가 올바르게 응답하지 않았어요. 다시 시도해 주세요",
    ),
    "provider_busy": (
        "106",
        "the identity provider is slow and too many sign-ins are waiting for it; try again shortly",
        "인증 제공자의 응답이 늦어지고 있어요. 잠시 후 다시 시도해 주세요",
    ),
    "unlink_token_sealed": (
        "106",
        "the unlink token is encrypted with an unknown signing key; set GEOSHOPS_PREVIOUS_SECRET_KEY",
        "연결 해제 토큰을 암호화한 키가 없어요. GEOSHOPS_PREVIOUS_SECRET_KEY를 설정해 주세요",
    ),
    "redirect_not_allowed": (
        "107",
        "[redirect_uri] is not an allowed redirect URI",
        "[redirect_uri] 허용되지 않은 주소예요",
    ),
    "provider_not_allowed": (
        "107",
        "[provider] is not a configured identity provider",
        "[provider] 설정되지 않은 인증 제공자예요",
    ),
    "nickname_rule": (
        "002",
        "[{name}] must have 2 to 20 letters or digits; spaces, _, - and . are allowed between them",
        "[{name}] 값은 글자와 숫자 2~20자여야 해요. 중간에는 공백, _, -, . 도 쓸 수 있어요",
    ),
    "nickname_taken": (
        "409",
        "[nickname] is already used",
        "[nickname] 이미 사용 중인 닉네임이에요",
    ),
    "title_not_held": (
        "400",
        "[member-title-id] the member does not hold this title",
        "[member-title-id] 보유하지 않은 칭호예요",
    ),
    "not_found": ("404", "{thing} cannot be found", "{thing_ko} 찾을 수 없어요"),
    "method_not_allowed": ("405", "[{name}] method is not allowed here", "[{name}] 허용되지 않는 메서드예요"),
    "not_acceptable": ("406", "[Accept] none of the available media types is acceptable", "[Accept] 제공할 수 없는 형식이에요"),
    "too_large": ("413", "[body] must have at most {high} bytes", "[body] 값은 {high}바이트 이하여야 해요"),
    "not_json": (
        "415",
        "[Content-Type] must be application/json",
        "[Content-Type] 값은 application/json이어야 해요",
    ),
    "not_utf8": (
        "415",
        "[Content-Type] charset must be utf-8",
        "[Content-Type] charset 값은 utf-8이어야 해요",
    ),
    "encoded": (
        "415",
        "[Content-Encoding] must be identity or absent",
        "[Content-Encoding] 값은 identity이거나 없어야 해요",
    ),
    "conflict": ("409", "conflict with a concurrent request; try again", "동시에 처리된 요청과 충돌했어요. 다시 시도해 주세요"),
    "too_many_requests": ("429", "too many requests; try again later", "요청이 너무 많아요. 잠시 후 다시 시도해 주세요"),
    "bad_request": ("002", "[request] is malformed", "[request] 잘못된 요청이에요"),
    "unexpected": ("500", "an unexpected error occurred", "예기치 않은 오류가 발생했어요"),
    "overloaded": (
        "503",
        "the service is overloaded; try again shortly",
        "요청이 너무 많아 처리할 수 없어요. 잠시 후 다시 시도해 주세요",
    ),
    "unreachable": (
        "503",
        "the service cannot respond now; try again shortly",
        "서비스가 지금 응답할 수 없어요. 잠시 후 다시 시도해 주세요",
    ),
    "unavailable": (
        "503",
        "the database is not available; try again shortly",
        "데이터베이스를 사용할 수 없어요. 잠시 후 다시 시도해 주세요",
    ),
}  # fmt: skip

# with the object particle, which depends on the last syllable
THINGS_KO = {
    "shop": "지점을",
    "review": "리뷰를",
    "title": "칭호를",
    "member": "회원을",
    "session": "세션을",
    "brand": "브랜드를",
    "route": "경로를",
    "tile": "타일을",
}
