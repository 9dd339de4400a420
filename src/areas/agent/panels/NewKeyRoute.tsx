import { useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { agentSettingsQuery } from '../model/queries.ts';
import NewKeyPanel from './NewKeyPanel.tsx';

/** The panel for a new key over the list of keys. */
export function NewKeyRoute() {
  const router = useRouter();
  const { data: settings } = useSuspenseQuery(agentSettingsQuery);
  return (
    <NewKeyPanel
      settings={settings}
      onClose={() => void router.navigate({ to: '/agent', ignoreBlocker: true })}
    />
  );
}
