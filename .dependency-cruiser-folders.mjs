import files from './.dependency-cruiser.mjs';

/** Folders of the product form no cycles. Tests and their helpers, which may use everything, are left out. */
export default {
  forbidden: [
    { name: 'no-folder-cycles', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
  ],
  options: {
    ...files.options,
    exclude: {
      path: '(\\.test\\.tsx?$|\\.fixture\\.ts$|^service/testing/|generated/|routeTree\\.gen\\.ts$)',
    },
  },
};
