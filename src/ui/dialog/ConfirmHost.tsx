import { Suspense } from 'react';
import { later } from '../later.ts';
import { useStore } from '../store.ts';
import { confirmStore } from './confirm.ts';

const ConfirmDialog = later(() => import('./ConfirmDialog.tsx'));

/** Where `confirm` appears; the shell mounts it once. The dialog itself is loaded when first asked. */
export function ConfirmHost() {
  const request = useStore(confirmStore);
  return <Suspense>{request && <ConfirmDialog request={request} />}</Suspense>;
}
