import { RefreshCw } from 'lucide-react';
import { useDirectory } from '../../../directory/directory.ts';
import { clockTime } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { AsOf } from '../../../ui/table/TableBar.tsx';

/** How fresh the people on the page are, and reading them again. */
export function Freshness() {
  const { asOf, complete, error, size, refreshing, refresh } = useDirectory();
  return (
    <>
      {complete && asOf !== undefined && <AsOf tone={error ? 'bad' : 'ok'}>As of {clockTime(asOf)}</AsOf>}
      {!complete && size !== undefined && <AsOf tone="warn">{count(size)} read</AsOf>}
      <IconButton label="Read everything again" icon={RefreshCw} pending={refreshing} onClick={refresh} />
    </>
  );
}
