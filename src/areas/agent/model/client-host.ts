/** Host of the metadata document of a client, which is all that is certain about it. */
export const formatClientHost = (clientId: string | null): string =>
  clientId !== null && URL.canParse(clientId) ? new URL(clientId).host : '';
