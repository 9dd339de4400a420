import type { QueryFault } from '../../../../contract/rules/query/tree.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';

interface UnaskableProps {
  faults: readonly QueryFault[];
  onClear: () => void;
}

/** Stands in place of a list whose address asks for something that cannot be asked. */
export function Unaskable({ faults, onClear }: UnaskableProps) {
  return (
    <EmptyState
      title="This filter cannot be asked"
      actions={<Button onClick={onClear}>Clear the filter</Button>}
    >
      {faults.map(({ path, message }) => `${path}: ${message}`).join('. ')}
    </EmptyState>
  );
}
