"""What the keyword search takes and answers."""

from __future__ import annotations

from geoshops.listing import FilterArgs, described
from geoshops.params import Flag, Latitude, Longitude, Text


class KeywordArgs(FilterArgs):
    """Query of GET /shops."""

    keyword = Text(
        required=True,
        high=100,
        metadata=described(
            "A region, a region and a brand, or a brand and a shop name", "강남구 인생네컷"
        ),
    )
    user_lat = Latitude(
        required=True, data_key="userLat", metadata=described("User latitude", 37.4979)
    )
    user_lng = Longitude(
        required=True, data_key="userLng", metadata=described("User longitude", 127.0276)
    )
    explain = Flag(
        load_default=False,
        metadata=described(
            "Tell how the keyword was understood, and why each shop stands where it does"
        ),
    )
