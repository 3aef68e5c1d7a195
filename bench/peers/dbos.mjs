/** DBOS on Postgres. It is a library: workflows and steps run in this process. */
import { DBOS } from '@dbos-inc/dbos-sdk';
import { contest } from './contest.mjs';
import { LocalEngine } from './local-engine.mjs';

class Dbos extends LocalEngine {
  settings = 'workflows in the client process, Postgres with fsync and synchronous_commit';

  async open(_folder, postgres) {
    DBOS.setConfig({ name: 'bench', systemDatabaseUrl: postgres, logLevel: 'error' });
    const step = async () => this.steps.add();
    this.workflow = DBOS.registerWorkflow(
      async (length) => {
        for (let index = 0; index < length; index++) await DBOS.runStep(step, { name: 'noop' });
        this.ends.add();
      },
      { name: 'chain' },
    );
    await DBOS.launch();
  }

  submit(length) {
    return DBOS.startWorkflow(this.workflow)(length);
  }

  complete(length) {
    // As a plain function: a call with a receiver would be one of its configured instances.
    const { workflow } = this;
    return workflow(length);
  }
}

await contest(new Dbos());
