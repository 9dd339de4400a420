import { defineArea } from '../../app/area/define-area.ts';

export const profileArea = defineArea({
  name: 'profile',
  invalidations: {
    enableApiKey: ['getApiKey'],
    disableApiKey: ['getApiKey'],
    beginEnrolment: [],
    confirmEnrolment: ['getOwnSecurity', 'listOwnSessions'],
    regenerateRecoveryCodes: ['getOwnSecurity'],
    beginPasskeyRegistration: [],
    registerPasskey: ['getOwnSecurity'],
    removePasskey: ['getOwnSecurity'],
    changePassword: ['getOwnSecurity', 'listOwnSessions'],
    endOwnSession: ['listOwnSessions'],
    endOtherSessions: ['listOwnSessions'],
  },
  auditSentences: {
    'user.api-key-on': 'Turned on an API key',
    'user.api-key-off': 'Turned off the API key',
    'user.api-key-expire': 'The API key expired',
    'user.api-key-remind': 'Was reminded that the API key expires',
    'cli.api-key': 'Was given an API key on the host',
  },
});
