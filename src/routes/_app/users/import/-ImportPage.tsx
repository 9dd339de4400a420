import { useDirectory } from '../../../../directory/directory.ts';
import { importRun } from '../../../../import/job.ts';
import { useStore } from '../../../../ui/store.ts';
import { Prepare } from './-Prepare.tsx';
import { Running } from './-Running.tsx';
import { usePreparation } from './-use-preparation.ts';
import './-import.css';

/** From a file to people: prepared here, then followed here or in the tray. */
export function ImportPage() {
  const run = useStore(importRun);
  const preparation = usePreparation();
  const { error, size } = useDirectory();
  // Rows are compared with everybody: who may not read people cannot import any.
  if (error?.status === 403 && size === undefined) throw error;
  if (run) return <Running run={run} onAgain={(file) => void preparation.open(file)} />;
  return <Prepare preparation={preparation} />;
}
