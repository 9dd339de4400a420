import { confirm } from '../../../ui/dialog/confirm.ts';

/** Asks before somebody is left without a license: it ends their sessions at once. */
export const confirmNoLicense = (name: string): Promise<boolean> =>
  confirm({
    title: `Take the license from ${name}?`,
    body: 'Without a license they cannot sign in. Sessions end at once; data and groups stay.',
    action: 'Take the license',
    danger: true,
  });
