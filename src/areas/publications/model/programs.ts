import consumerSource from '../../../../docs/consumer.mjs?raw';

/** The consumer of docs/consumer.mjs, which a test runs; the topic is its default. */
export const buildConsumer = (topic: string): string =>
  consumerSource.replace("TOPIC = 'default-data'", `TOPIC = ${JSON.stringify(topic)}`);

/** Shell commands that sign in with an API key, poll once and acknowledge. @param url address of the service */
export const buildCurl = (url: string, topic: string): string =>
  [
    `TOKEN=$(curl -s -X POST ${url}/api/rest/v1/oauth/token -u "$CLIENT_ID:$CLIENT_SECRET" \\`,
    `  -d grant_type=client_credentials -d scope=publish | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s -X POST ${url}/api/rest/v1/publication/poll -H "Authorization: Bearer $TOKEN" \\`,
    `  -H 'Content-Type: application/json' -d '{"topics":["${topic}"],"timeOut":60000,"count":100}'`,
    '# The offset of the last handled event plus one:',
    `curl -s -X POST ${url}/api/rest/v1/publication/acknowledge -H "Authorization: Bearer $TOKEN" \\`,
    `  -H 'Content-Type: application/json' -d '[{"name":"${topic}","offset":1}]'`,
  ].join('\n');
