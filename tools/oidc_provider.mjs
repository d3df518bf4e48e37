// npm's oidc-provider with one client and its own pages for development; `node oidc_provider.mjs PORT CALLBACK`.
import Provider from "oidc-provider";

const [port, callback] = process.argv.slice(2);
const people = { "ann-1": { preferred_username: "Ann", email: "ann@example.org", email_verified: true } };

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "moot", client_secret: "a-secret", redirect_uris: [callback] }],
  claims: { openid: ["sub"], profile: ["preferred_username"], email: ["email", "email_verified"] },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
