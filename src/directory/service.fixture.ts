import type { UserInfoResponse } from '../../contract/generated/types.gen.ts';
import { toServiceError } from '../api/errors.ts';
import { client } from '../api/generated/client.gen.ts';
import type { SessionIdentity } from '../api/session-state.ts';

export const ada = { userId: 1, siteId: 1 };
const MINUTE = 60_000;

/** Fake service with the lists of the directory; `calls` records the calls. */
export const service = {
  users: [] as UserInfoResponse[],
  session: ada as SessionIdentity,
  refusal: 0,
  calls: [] as string[],
  /** Called before each answer. */
  onCall: (_url: URL): void => undefined,
};

export const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();
export const user = (id: number, modifiedDate = minutesAgo(60), lastName = 'Person'): UserInfoResponse => ({
  id,
  email: `user${id}@northlight.example`,
  firstName: 'Some',
  lastName,
  isActive: true,
  isLocked: false,
  groups: [7],
  createdDate: modifiedDate,
  modifiedDate,
  createdBy: null,
  modifiedBy: null,
  twoFactorEnabled: false,
  ipRestrictionsEnabled: false,
});
export const people = (count: number) => Array.from({ length: count }, (_, at) => user(at + 1));
const licenseOf = ({ id }: { id: number }) => ({
  userId: id,
  licenseTypeId: 2,
  description: 'Limited',
  isBillable: true,
});

function answer(url: URL, body: unknown): unknown {
  const page = Number(url.searchParams.get('pageNumber'));
  const size = Number(url.searchParams.get('pageSize'));
  const window = <Item>(items: Item[]) => items.slice((page - 1) * size, page * size);
  const since = url.searchParams.get('modifiedSince');
  if (url.pathname.endsWith('/user/group')) return window([{ id: 7, name: 'Analysts', userCount: 1 }]);
  if (url.pathname.endsWith('/session'))
    return {
      user: { id: service.session.userId },
      site: { id: service.session.siteId },
      ...(service.session.reportId !== undefined && { acting: { reportId: service.session.reportId } }),
    };
  if (url.pathname.endsWith('/userLicenses')) return window(service.users.map(licenseOf));
  if (url.pathname.endsWith('/users'))
    return service.users.filter(({ id }) => Array.isArray(body) && body.includes(id));
  if (url.pathname.endsWith('/user'))
    return window(service.users.filter(({ modifiedDate }) => since === null || modifiedDate >= since));
  return licenseOf({ id: Number(url.pathname.split('/').at(-1)) });
}

client.interceptors.error.use((error, response) => toServiceError(error, response));

/** Directs the client to this service until the returned function is called. */
export function serve(): () => void {
  const previousFetch = client.getConfig().fetch;
  Object.assign(service, { users: [], session: ada, refusal: 0, calls: [], onCall: () => undefined });
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    fetch: async (request) => {
      const url = new URL(request instanceof Request ? request.url : request);
      const body: unknown =
        request instanceof Request && request.method === 'POST' ? await request.json() : undefined;
      service.calls.push(
        url.pathname.split('/').at(-1) + (url.searchParams.has('modifiedSince') ? ' since' : ''),
      );
      if (service.refusal > 0) return Response.json({ message: 'No' }, { status: service.refusal });
      service.onCall(url);
      return Response.json(answer(url, body), { headers: { date: new Date().toUTCString() } });
    },
  });
  return () => client.setConfig({ fetch: previousFetch });
}
