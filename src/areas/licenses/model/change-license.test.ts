import { beforeEach, expect, it, vi } from 'vitest';
import { changeLicense } from './change-license.ts';

/** Simulated service with one license, which may store another one than it was sent. */
const service = vi.hoisted(() => ({
  now: 1,
  version: 1,
  keeps: undefined as number | undefined,
  broken: false,
}));
const sent = vi.hoisted(() => vi.fn<(licenseTypeId: number, ifMatch: string | undefined) => void>());

vi.mock('../../../api/generated/sdk/licenses.gen.ts', () => ({
  async getUserLicense() {
    if (service.broken) throw new Error('away');
    return {
      data: { licenseTypeId: service.now, description: `type ${service.now}` },
      response: new Response(null, { headers: { etag: `"${service.version}"` } }),
    };
  },
  async updateUserLicense({
    body,
    headers,
  }: {
    body: { licenseTypeId: number };
    headers?: Record<string, string>;
  }) {
    sent(body.licenseTypeId, headers?.['If-Match']);
    service.now = service.keeps ?? body.licenseTypeId;
    service.version += 1;
  },
}));

beforeEach(() => {
  Object.assign(service, { now: 1, version: 1, keeps: undefined, broken: false });
  sent.mockReset();
});

it('sends the ETag that was read', async () => {
  await changeLicense({ userId: 7, from: 1, to: 3 });
  expect(sent).toHaveBeenCalledExactlyOnceWith(3, '"1"');
});

it('sends nothing if the license is not the one shown', async () => {
  service.now = 2;
  await expect(changeLicense({ userId: 7, from: 1, to: 3 })).rejects.toThrow(/changed it to type 2/);
  expect(sent).not.toHaveBeenCalled();
});

it('sends nothing if the license is already set', async () => {
  service.now = 3;
  await changeLicense({ userId: 7, from: 1, to: 3 });
  expect(sent).not.toHaveBeenCalled();
});

it('rejects if the service stores another license', async () => {
  service.keeps = 2;
  await expect(changeLicense({ userId: 7, from: 1, to: 3 })).rejects.toThrow(
    'The service accepted Free/Complimentary, but says type 2 now.',
  );
});

it('succeeds if the license cannot be read again', async () => {
  sent.mockImplementation(() => {
    service.broken = true;
  });
  await expect(changeLicense({ userId: 7, from: 1, to: 3 })).resolves.toBeUndefined();
});
