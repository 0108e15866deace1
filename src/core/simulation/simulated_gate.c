/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/gate/probe_pause.h"
#include "core/simulation/simulated_gate.h"

#define ATTEMPT_NS (NS_PER_S / 5)

/* Until the next in the queue has the turn: the kernel takes 2 to 3 ms. */
#define TURN_NS (2 * NS_PER_MS)

/* ... that of the fleet: the server wakes it, and it asks the server again. */
#define FLEET_TURN_NS (5 * NS_PER_MS)

#define PATIENCE_NS (70 * NS_PER_S)

void
simulated_gate_start(struct simulation *simulation)
{
	const struct simulated_gate unused = { .record = gate_record_new() };

	simulation->shared = unused;
	for (int64_t i = 0; i < simulation->machines_count; i++)
		simulation->machines[i] = unused;
}

/* Neighbours are on different machines. */
static int64_t
machine_of(
    const struct simulation *simulation, const struct simulated_client *client)
{
	return (client - simulation->clients) % simulation->machines_count;
}

static struct simulated_turn *
local_turn(
    const struct simulation *simulation, const struct simulated_client *client)
{
	return &simulation->machines[machine_of(simulation, client)].turn;
}

/* The gate that CLIENT passes. */
static struct simulated_gate *
gate_of(struct simulation *simulation, const struct simulated_client *client)
{
	return simulation->fleet
	    ? &simulation->shared
	    : &simulation->machines[machine_of(simulation, client)];
}

/* To a fleet a machine is what a run is to a machine. */
static struct gate_run
run_of(struct simulation *simulation, const struct simulated_client *client)
{
	const struct simulated_gate *gate = gate_of(simulation, client);
	int64_t id = simulation->fleet ? machine_of(simulation, client)
	                               : client - simulation->clients;

	return (struct gate_run) {
		.id = (uint64_t)id,
		.turn = gate->turn.holder == client ? gate->record.turn : 0,
		.turn_ns = simulation->queue.now_ns,
		.patience_ns = PATIENCE_NS,
		/* Who waits on the other machines is not known. */
		.alone = !simulation->fleet && gate->turn.first == NULL,
	};
}

static void
wake_at(struct simulation *simulation, struct simulated_client *client,
    int64_t at_ns)
{
	client->waiting.at_ns = max_ns(at_ns, simulation->queue.now_ns);
	event_queue_put(&simulation->queue, &client->waiting);
}

/* The first in the queue has the turn, in a moment. */
static void
pass_turn(struct simulation *simulation, struct simulated_turn *turn)
{
	struct event *first = turn->first;
	int64_t takes_ns
	    = turn == &simulation->shared.turn ? FLEET_TURN_NS : TURN_NS;

	turn->holder = (struct simulated_client *)first;
	if (first == NULL)
		return;
	turn->first = first->next;
	wake_at(simulation, turn->holder,
	    saturating_add(simulation->queue.now_ns, takes_ns));
}

/* CLIENT passes on all turns that it holds. */
static void
give_up_turns(struct simulation *simulation, struct simulated_client *client)
{
	struct simulated_turn *local = local_turn(simulation, client);

	if (simulation->shared.turn.holder == client)
		pass_turn(simulation, &simulation->shared.turn);
	if (local->holder == client)
		pass_turn(simulation, local);
}

static void
join_queue(struct simulation *simulation, struct simulated_turn *turn,
    struct simulated_client *client)
{
	client->waiting.next = NULL;
	if (turn->first == NULL)
		turn->first = &client->waiting;
	else
		turn->last->next = &client->waiting;
	turn->last = &client->waiting;
	if (turn->holder == NULL)
		pass_turn(simulation, turn);
}

/* Of each machine one client alone stands in the queue of the fleet. */
static void
queue(struct simulation *simulation, struct simulated_client *client)
{
	struct simulated_turn *local = local_turn(simulation, client);

	join_queue(simulation,
	    local->holder == client ? &simulation->shared.turn : local, client);
}

static void
begin(struct simulation *simulation, struct simulated_client *client)
{
	client->trying = true;
	client->served = simulated_attempt(simulation);
	client->began_ns = simulation->queue.now_ns;
	wake_at(
	    simulation, client, saturating_add(client->began_ns, ATTEMPT_NS));
}

/* It wants to start an attempt, with or without the turn. */
static void
ask(struct simulation *simulation, struct simulated_client *client)
{
	struct simulated_gate *gate = gate_of(simulation, client);
	struct gate_run run = run_of(simulation, client);
	struct gate_decision decision
	    = gate_ask(&gate->record, simulation->queue.now_ns, &run);

	if (decision.kind == GATE_QUEUE) {
		queue(simulation, client);
	} else if (decision.kind == GATE_WAIT) {
		wake_at(simulation, client, decision.until_ns);
	} else {
		begin(simulation, client);
		if (decision.kind == GATE_START)
			give_up_turns(simulation, client);
	}
}

/* It ends now; it probed if it still has the turn. */
static void
tell_gate(struct simulation *simulation, struct simulated_client *client)
{
	struct gate_record *record = &gate_of(simulation, client)->record;
	int64_t now_ns = simulation->queue.now_ns;
	struct gate_run run = run_of(simulation, client);
	struct gate_attempt attempt = {
		.outcome = client->served ? GATE_ENDED_WELL : GATE_FAILED,
		.began_ns = client->began_ns,
		.ended_ns = now_ns,
		.reason = "",
	};

	if (!client->served)
		attempt.pause_ns = gate_pause(&simulation->settings->policy,
		    simulation->random, gate_failures(record));
	gate_end(record, now_ns, &run, &attempt);
}

/* While the gate is shut there is no other pause. */
static void
end(struct simulation *simulation, struct simulated_client *client)
{
	struct simulated_gate *gate = gate_of(simulation, client);
	bool probed = gate->turn.holder == client;
	int64_t failures = client->failures;

	client->trying = false;
	tell_gate(simulation, client);
	give_up_turns(simulation, client);
	if (!simulated_verdict(simulation, client, client->served))
		return;
	/* The gate paces: the windows do not grow for that as well. */
	if (!client->served
	    && (probed || (failures > 0 && gate->record.state == GATE_RAMP)))
		client->failures = failures;
	if (client->served || gate->record.state == GATE_OPEN
	    || gate->record.state == GATE_RAMP)
		simulated_pause(simulation, client);
	else
		ask(simulation, client);
}

void
simulated_gate_go(
    struct simulation *simulation, struct simulated_client *client)
{
	if (client->trying) {
		end(simulation, client);
	} else if (simulated_time_left(simulation) > 0) {
		ask(simulation, client);
	} else {
		simulated_end(simulation, client, RESULT_DEADLINE);
		give_up_turns(simulation, client);
	}
}
