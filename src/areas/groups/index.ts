export { CapabilityList } from './model/CapabilityList.tsx';
export { formatCapabilities, useGrantCheck, useGroupCapabilities } from './model/group-capabilities.ts';
export { useGroupOptions } from './model/group-options.ts';
