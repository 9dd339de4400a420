import { Suspense } from 'react';
import { lazyWithPreload } from '../lazy.tsx';
import { useStore } from '../store.ts';
import { confirmStore } from './confirm.ts';

const ConfirmDialog = lazyWithPreload(() => import('./ConfirmDialog.tsx'));

/** Preloads the dialog of `confirm`; called when a menu opens, because its items often ask for confirmation. */
export const preloadConfirmDialog = (): void => ConfirmDialog.preload();

/** Host of the dialog of `confirm`; mounted once by the shell. */
export function ConfirmHost() {
  const request = useStore(confirmStore);
  return <Suspense>{request && <ConfirmDialog key={request.id} request={request} />}</Suspense>;
}
