// Identity provider for development and tests: oidc-provider with a minimal sign-in page.
// It keeps its state in memory and requires no password. Never expose it to a network.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import Provider, { interactionPolicy } from 'oidc-provider';

const env = process.env;
const host = env.IDP_HOST || '127.0.0.1';
const port = Number(env.IDP_PORT || 9400);
const issuer = env.IDP_ISSUER || `http://${host}:${port}`;
const people = JSON.parse(readFileSync(new URL('people.json', import.meta.url), 'utf8'));

// The integers of a DER sequence of integers, such as an RSA private key of PKCS #1.
function integersOf(der) {
  const integers = [];
  let at = 4; // past the tag and the three-byte length of a sequence longer than 255 bytes
  while (at < der.length) {
    const long = der[at + 1] & 0x80 ? der[at + 1] & 0x7f : 0;
    const length = long ? der.readUIntBE(at + 2, long) : der[at + 1];
    const start = at + 2 + long;
    const sign = der[start] === 0 && length > 1 ? 1 : 0;
    integers.push(der.subarray(start + sign, start + length));
    at = start + length;
  }
  return integers;
}

// Builds the JWK by hand: exporting a key as JWK can deadlock in Node 20.
function signingKey() {
  const encoding = { type: 'pkcs1', format: 'der' };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: encoding, privateKeyEncoding: encoding });
  const [, ...numbers] = integersOf(privateKey); // RFC 8017, A.1.2
  const names = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];
  const key = Object.fromEntries(names.map((name, i) => [name, numbers[i].toString('base64url')]));
  return { ...key, kty: 'RSA', kid: randomBytes(6).toString('hex'), use: 'sig', alg: 'RS256' };
}

// Any name may sign in; people.json only supplies nicknames.
function findAccount(_ctx, sub) {
  const nickname = people[sub] || sub;
  return { accountId: sub, claims: () => ({ sub, nickname, name: nickname }) };
}

// Always prompts, so that a developer can switch to another person.
function policy() {
  const rules = interactionPolicy.base();
  const { Check } = interactionPolicy;
  const prompt = new Check('every_time', 'always prompt', (ctx) =>
    ctx.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT);
  rules.get('login').checks.add(prompt);
  rules.get('consent').checks.remove('native_client_prompt');
  return rules;
}

// Grants consent implicitly.
async function loadExistingGrant(ctx) {
  const { client, session, provider } = ctx.oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid profile offline_access');
  await grant.save();
  return grant;
}

const redirects = ['http://127.0.0.1/', 'http://localhost/', ...(env.IDP_REDIRECT_URIS || '').split(' ').filter(Boolean)];
const provider = new Provider(issuer, {
  clients: [{
    client_id: env.IDP_CLIENT_ID || 'geoshops',
    client_secret: env.IDP_CLIENT_SECRET || 'development only, not a secret',
    application_type: 'native', // loopback addresses with any port
    redirect_uris: redirects,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
  }],
  jwks: { keys: [signingKey()] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  claims: { openid: ['sub'], profile: ['nickname', 'name'] },
  features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
  interactions: { url: (_ctx, interaction) => `/sign-in/${interaction.uid}`, policy: policy() },
  pkce: { required: () => env.IDP_PKCE !== 'optional' },
  issueRefreshToken: async () => true,
  ttl: { AuthorizationCode: 60, Interaction: 600, Session: 3600, Grant: 86400, AccessToken: 3600, IdToken: 3600, RefreshToken: 86400 },
  findAccount,
  loadExistingGrant,
});

const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// title, what to do, another person
const TEXTS = {
  en: ['Sign in', 'Development provider: choose a person, no password.', 'Another person'],
  ko: ['로그인', '개발용 로그인이에요. 비밀번호 없이 한 사람을 골라 주세요.', '다른 사람'],
  ja: ['ログイン', '開発用のログインです。パスワードなしで人物を選んでください。', 'ほかの人'],
  'zh-Hans': ['登录', '这是开发用的登录页面，请选择一个人，无需密码。', '其他人'],
  'zh-Hant': ['登入', '這是開發用的登入頁面，請選擇一個人，無需密碼。', '其他人'],
};

// The language that the client asks for (OpenID Connect Core, 3.1.2.1), else the browser's; Chinese without a script is Simplified.
function languageOf({ ui_locales: asked }, accepted = '') {
  const tags = [...(asked || '').split(' '), ...accepted.split(',')].map((tag) => tag.split(';')[0].trim());
  const traditional = (tag) => /^zh-(hant|tw|hk|mo)\b/i.test(tag);
  const known = tags.map((tag) => (/^zh\b/i.test(tag) ? `zh-Han${traditional(tag) ? 't' : 's'}` : tag.split('-')[0].toLowerCase()));
  return known.find((language) => language in TEXTS) || 'en';
}

const STYLE = `:root{color-scheme:light dark}body{font:16px system-ui,sans-serif;max-width:22em;margin:3em auto;padding:0 1em}
button,input{font:inherit;box-sizing:border-box;width:100%;padding:.6em}label{display:block;margin:2em 0 .6em}`;

function page(uid, language) {
  const [title, hint, other] = TEXTS[language];
  const buttons = Object.entries(people).map(([sub, name]) =>
    `<p><button name="sub" value="${escaped(sub)}">${escaped(name)}</button></p>`).join('');
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>${STYLE}</style>
<h1>${title}</h1><p>${hint}</p>
<form method="post" action="/sign-in/${escaped(uid)}">${buttons}</form>
<form method="post" action="/sign-in/${escaped(uid)}"><label>${other} <input name="sub" pattern="[A-Za-z0-9._\\-]{1,60}" required></label><button>${title}</button></form></html>`;
}

async function bodyOf(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 4096) throw new Error('too long');
  }
  return new URLSearchParams(text);
}

async function signIn(request, response, uid) {
  if (request.method !== 'POST') {
    const { params } = await provider.interactionDetails(request, response);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page(uid, languageOf(params, request.headers['accept-language'])));
    return;
  }
  const sub = (await bodyOf(request)).get('sub') || '';
  if (!/^[A-Za-z0-9._-]{1,60}$/.test(sub)) throw new Error('sub must be 1 to 60 letters, digits or . _ -');
  await provider.interactionFinished(request, response, { login: { accountId: sub } }, { mergeWithLastSubmission: false });
}

const oidc = provider.callback();
const server = createServer((request, response) => {
  const uid = /^\/sign-in\/([A-Za-z0-9_-]+)$/.exec(request.url);
  if (!uid) {
    oidc(request, response);
    return;
  }
  signIn(request, response, uid[1]).catch((error) => {
    response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(`Sign-in failed: ${error.message}\n`);
  });
});
server.listen(port, host, () => console.log(`identity provider ready: ${issuer}`));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
