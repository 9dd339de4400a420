import { Archive } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';
import { deleteStoredDownloads } from './download/stored-downloads.ts';

export const backupsArea = defineArea({
  name: 'backups',
  palette: () => import('./palette.ts'),
  navigation: [
    { group: 'Data', path: '/backups', name: 'Backups', icon: Archive, key: 'b', needs: 'listBackups' },
  ],
  invalidations: {
    requestBackup: ['listBackups', 'listJobs'],
    deleteBackup: ['listBackups', 'listJobs'],
    cancelBackup: ['listBackups', 'listJobs', 'getJob'],
    verifyBackup: ['listBackups'],
    updateBackupSettings: ['getBackupSettings'],
    createBackupDownload: ['listBackupDownloads'],
  },
  clearStorage: deleteStoredDownloads,
});
