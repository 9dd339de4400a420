import { useQuery } from '@tanstack/react-query';
import type { BackupAddress } from '../../../../contract/generated/types.gen.ts';
import { getBackupAddressOptions } from '../../../api/generated/queries/backups.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { findAddressProblem } from './address.ts';

/** Reads the address of this browser as the service sees it. Each reading may find another one, so none is kept. */
export const addressQuery = { ...getBackupAddressOptions(), staleTime: 0, gcTime: 0 };

interface AddressNoteProps {
  /** An earlier reading, which is compared with the one of now. */
  before?: BackupAddress | undefined;
}

/** Says to which address a download link is bound, what happens when it changes, and warns if it does already. */
export function AddressNote({ before }: AddressNoteProps) {
  const { allowed } = usePermission('getBackupAddress');
  const { data } = useQuery({ ...addressQuery, enabled: allowed });
  const problem = data && findAddressProblem(data, before);
  return (
    <>
      <p className="field-hint">
        A download link works only from the IP address that requests it. If the address changes during a
        download, the download pauses and continues with a link for the new one.{' '}
        {data && (
          <>
            Yours is <b className="mono">{data.ipAddress}</b>.
          </>
        )}
      </p>
      {problem !== undefined && (
        <Banner tone="warn" title="Your address changes">
          {problem} A VPN, a proxy with several addresses or another network can be the cause. Each change
          interrupts a download: use one network until it has ended.
        </Banner>
      )}
    </>
  );
}
