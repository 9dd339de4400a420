import { useSession } from '../api/session.ts';

/** Why nothing may be exported now; undefined: it may. The service refuses it too. */
export function useExportReason(): string | undefined {
  const { acting } = useSession();
  return acting && `Exports are off while you act for ${acting.principal.email}`;
}
