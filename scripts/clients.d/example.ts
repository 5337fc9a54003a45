// Example of the generated client: finds shops and a meeting point, writes a review and refreshes an expired access token.
// node example.js ORIGIN ACCESS_TOKEN REFRESH_TOKEN
import {
  AuthApi, Configuration, ReviewsApi, ShopsApi,
  type MeetingShop, type Middleware, type ShopAlong, type ShopSummary, type WrittenReview,
} from './typescript-fetch/index.js';

declare const process: { argv: string[] };

interface Tokens { access: string; refresh: string }

/** Returns a configuration that sends the access token and refreshes it after a 401 response. */
export function configured(origin: string, tokens: Tokens): Configuration {
  const plain = new Configuration({ basePath: origin });
  const refreshing: Middleware = {
    async post({ response, url, init }) {
      if (response.status !== 401 || url.endsWith('/auth/token')) return response;
      const fresh = await new AuthApi(plain).refreshToken({ refreshBody: { refresh_token: tokens.refresh } });
      tokens.access = fresh.access_token;
      const headers = new Headers(init.headers);
      headers.set('Authorization', `Bearer ${tokens.access}`);
      return fetch(url, { ...init, headers });
    },
  };
  return new Configuration({ basePath: origin, accessToken: async () => tokens.access, middleware: [refreshing] });
}

/** Writes a review of the shop nearest to a position. */
export async function reviewNearest(configuration: Configuration, at: { lat: number; lng: number }): Promise<WrittenReview> {
  const shops: ShopSummary[] = await new ShopsApi(configuration).listShopsAround({
    userLat: at.lat, userLng: at.lng, mapLat: at.lat, mapLng: at.lng, allBrands: true,
  });
  const nearest = shops[0];
  if (nearest === undefined) throw new Error('no shop around');
  console.log(`${nearest.place_name} (${nearest.brand.brand_name}), ${nearest.distance}`);
  return new ReviewsApi(configuration).createReview({
    shopId: nearest.id,
    reviewBody: { star_rating: 5, content: '깨끗하고 소품이 많아요', purity: 'GOOD', item: 'GOOD' },
  });
}

/** Returns the best shop for people at [longitude, latitude] to meet, and shops on the way there. */
export async function meetingOf(
  configuration: Configuration, people: [number, number][],
): Promise<{ shop: MeetingShop; onTheWay: ShopAlong[] }> {
  const shops = new ShopsApi(configuration);
  const [shop] = await shops.listMeetingShops({ at: people.map(String), page: 1, size: 1 });
  const first = people[0];
  if (shop === undefined || first === undefined) throw new Error('nobody, or no shop');
  const route = { type: 'LineString' as const, coordinates: [first, [Number(shop.longitude), Number(shop.latitude)]] };
  return { shop, onTheWay: await shops.listShopsAlong({ route, distanceM: 300 }) };
}

const [, , origin, access, refresh] = process.argv;
if (origin && access && refresh) {
  const written = await reviewNearest(configured(origin, { access, refresh }), { lat: 37.4979, lng: 127.0276 });
  console.log(`review ${written.review_info.id}: ${written.review_info.content}`);
}
