/**
 * The scenarios that run on containers of the image where Docker must be there (REQUIRE_DOCKER=1), and otherwise on
 * processes. They are black boxes: they reach the service by HTTP alone, and change no option of a component.
 */
export const scenariosOnContainers = [
  'schemathesis-finds-no-failure',
  'first-minute-commands-work-as-printed',
  'two-pods-publish-each-hook-once',
  'grant-changes-apply-on-every-pod',
  'creates-with-one-key-make-one-widget',
  'pod-drains',
].map((name) => `test/scenarios/${name}.test.ts`);

const { REQUIRE_DOCKER, SCENARIO_IMAGE } = process.env;
/** Those that need not run on processes as well. */
export const notOnProcesses = REQUIRE_DOCKER === '1' && SCENARIO_IMAGE === undefined ? scenariosOnContainers : [];
