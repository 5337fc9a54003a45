"""GeoDjango with REST framework and REST framework GIS, in one module."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import unquote, urlsplit

import django
from django.conf import settings

url = urlsplit(os.environ["DATABASE_URL"])
settings.configure(
    SECRET_KEY="not used: nothing is signed",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["django.contrib.gis", "rest_framework", "rest_framework_gis"],
    DATABASES={
        "default": {
            "ENGINE": "django.contrib.gis.db.backends.postgis",
            "HOST": url.hostname,
            "PORT": url.port,
            "USER": unquote(url.username or ""),
            "PASSWORD": unquote(url.password or ""),
            "NAME": url.path[1:],
            "CONN_MAX_AGE": None,
        }
    },
    REST_FRAMEWORK={
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
    },
    USE_TZ=True,
)
django.setup()

from django.contrib.gis.db import models  # noqa: E402 (Django's settings come first)
from django.contrib.gis.db.models.functions import Distance  # noqa: E402
from django.contrib.gis.geos import Point  # noqa: E402
from django.contrib.gis.measure import D  # noqa: E402
from django.contrib.postgres.fields import ArrayField  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import path  # noqa: E402
from rest_framework import serializers  # noqa: E402
from rest_framework.generics import ListAPIView  # noqa: E402
from rest_framework_gis.serializers import GeoModelSerializer  # noqa: E402
from shop_json import distance_text, rating  # noqa: E402


class Brand(models.Model):
    """A brand."""

    name = models.TextField()
    image_path = models.TextField()
    is_representative = models.BooleanField()

    class Meta:
        """The table is geoshops' own."""

        app_label, managed, db_table = "gis", False, "brands"


class Shop(models.Model):
    """A shop."""

    brand = models.ForeignKey(Brand, models.DO_NOTHING)
    place_name = models.TextField()
    geog = models.PointField(geography=True, srid=4326)
    road_address = models.TextField()
    lot_address = models.TextField()
    status = models.TextField()
    shop_titles = ArrayField(models.TextField())
    review_cnt = models.IntegerField()
    star_rating_sum = models.IntegerField()
    favorite_cnt = models.IntegerField()

    class Meta:
        """The table is geoshops' own."""

        app_label, managed, db_table = "gis", False, "shops"


class BrandSerializer(serializers.ModelSerializer):
    """The brand in a summary."""

    brand_name = serializers.CharField(source="name")
    file_path = serializers.SerializerMethodField()

    class Meta:
        """Fields of the serializer."""

        model, fields = Brand, ("brand_name", "file_path")

    def get_file_path(self, brand: Brand) -> str:
        """Returns the absolute URL of the image."""
        return f"{self.context['origin']}{brand.image_path}"


class ShopSerializer(GeoModelSerializer):
    """A summary; REST framework GIS serialises the position as a GeoJSON point."""

    place_address = serializers.SerializerMethodField()
    brand = BrandSerializer()
    distance = serializers.SerializerMethodField()
    distance_m = serializers.SerializerMethodField()
    star_rating_avg = serializers.SerializerMethodField()
    favorite = serializers.SerializerMethodField()

    class Meta:
        """Fields of the contract."""

        model = Shop
        fields = (
            "id", "place_name", "geog", "place_address", "status", "shop_titles", "brand", "distance",
            "distance_m", "star_rating_avg", "review_cnt", "favorite_cnt", "favorite",
        )  # fmt: skip

    def get_place_address(self, shop: Shop) -> str:
        """Returns the road address, otherwise the lot address."""
        return shop.road_address or shop.lot_address

    def get_distance_m(self, shop: Any) -> int:
        """Returns whole metres."""
        return int(shop.from_user.m + 0.5)

    def get_distance(self, shop: Any) -> str:
        """Returns the distance as text."""
        return distance_text(int(shop.from_user.m + 0.5))

    def get_star_rating_avg(self, shop: Shop) -> float:
        """Returns the rating with one decimal."""
        return rating(shop.star_rating_sum, shop.review_cnt)

    def get_favorite(self, shop: Shop) -> bool:
        """Always false, since nobody is signed in."""
        return False


class Around(ListAPIView):
    """The radius search."""

    serializer_class = ShopSerializer

    def get_serializer_context(self) -> dict[str, Any]:
        """Adds the origin, computed once per request."""
        return {"origin": self.request.build_absolute_uri("/").rstrip("/")}

    def get_queryset(self) -> Any:
        """Selects shops of the representative brands in the circle, ordered by distance from the user."""
        query = {name: float(value) for name, value in self.request.query_params.items()}
        centre = Point(query["mapLng"], query["mapLat"], srid=4326)
        user = Point(query["userLng"], query["userLat"], srid=4326)
        return (
            Shop.objects.filter(
                brand__is_representative=True,
                geog__dwithin=(centre, D(m=query.get("radius", 2000))),
            )
            .exclude(status="CLOSED")
            .select_related("brand")
            .annotate(from_user=Distance("geog", user))
            .order_by("from_user", "id")
        )


urlpatterns = [path("shops/brand", Around.as_view())]
app = get_wsgi_application()
