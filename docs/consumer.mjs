// Prints the events of a topic: node docs/consumer.mjs (docs/publications.md).
const { STEWARD_URL, CLIENT_ID, CLIENT_SECRET, TOPIC = 'default-data' } = process.env;
const credentials = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64');
let bearer = 'Bearer -';
async function post(path, body, type = 'application/json', authorization = bearer) {
  const options = { method: 'POST', body, headers: { 'content-type': type, authorization } };
  const response = await fetch(`${STEWARD_URL}/api/rest/v1/${path}`, options);
  if (response.ok) return response;
  if (response.status !== 401 || path === 'oauth/token') throw new Error(await response.text());
  const form = 'grant_type=client_credentials&scope=publish';
  const token = await post('oauth/token', form, 'application/x-www-form-urlencoded', `Basic ${credentials}`);
  bearer = `Bearer ${(await token.json()).access_token}`;
  return post(path, body);
}
for (;;) {
  const response = await post('publication/poll', JSON.stringify({ topics: [TOPIC], timeOut: 60_000 }));
  const events = await response.json();
  for (const event of events) console.log(event.topicOffset, JSON.stringify(event.payload));
  const handled = events.map(({ topicOffset }) => ({ name: TOPIC, offset: topicOffset + 1 })).slice(-1);
  if (handled.length > 0) await post('publication/acknowledge', JSON.stringify(handled));
}
