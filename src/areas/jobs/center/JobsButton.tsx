import { ListChecks } from 'lucide-react';
import { IconButton } from '../../../ui/button/IconButton.tsx';

/** Button of the job center in the top bar. */
export function JobsButton() {
  return <IconButton label="Jobs" icon={ListChecks} />;
}
