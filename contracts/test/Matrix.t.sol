// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {vm} from "./support/Vm.sol";

/// Every move out of every state. Rows: the state the farm's lot is in; columns: what is tried with it.
contract MatrixTest is TenantTest {
    enum State {
        Active,
        InTransit, // offered to the mill
        Aggregated,
        Consumed,
        Recalled,
        Retired,
        Freed, // its container was broken up, and nobody has settled it
        RecalledInTransit,
        RecalledAggregated
    }

    enum Move {
        Observe,
        UsePart,
        UseAll,
        Aggregate,
        Offer, // to the shop
        Return, // to the recycler, who takes recalled lots
        Accept, // by the mill
        Reject, // by the mill
        Cancel,
        Dispose,
        Recall // by the admin
    }

    function test_everyMoveOutOfEveryState() public {
        //   observe ──┐┌─ use part
        //      use all ┼┐  aggregate, offer, return, accept, reject, cancel, dispose, recall
        expect(State.Active, "yyyyyynnnyy");
        expect(State.InTransit, "ynnnnnyyyny");
        expect(State.Aggregated, "ynnnnnnnnny");
        expect(State.Consumed, "ynnnnnnnnny");
        expect(State.Recalled, "ynnnnynnnyn");
        expect(State.Retired, "ynnnnnnnnny");
        expect(State.Freed, "yyyyyynnnyy");
        expect(State.RecalledInTransit, "ynnnnnnyynn");
        expect(State.RecalledAggregated, "ynnnnnnnnnn");
    }

    function expect(State state, string memory row) private {
        for (uint256 i; i <= uint256(Move.Recall); ++i) {
            (uint256 id, uint256 no) = lotIn(state);
            bool wanted = bytes(row)[i] == "y";
            bool possible = attempt(Move(i), id, no);
            string memory what = string.concat("state ", vm.toString(uint256(state)), ", move ", vm.toString(i));
            require(possible == wanted, string.concat(what, possible ? ": was possible" : ": was refused"));
        }
    }

    function lotIn(State state) private returns (uint256 id, uint256 no) {
        id = mint(farm, 10);
        if (state == State.InTransit || state == State.RecalledInTransit) no = offer(farm, id, mill);
        if (state == State.Aggregated || state == State.RecalledAggregated) pack(farm, id);
        if (state == State.Consumed) use(farm, id, ALL);
        if (state == State.Retired) retire(farm, id, ALL, SOLD);
        if (state == State.Freed) unpack(farm, pack(farm, id));
        if (state == State.Recalled || state == State.RecalledInTransit || state == State.RecalledAggregated) recall(id);
    }

    function attempt(Move move, uint256 id, uint256 no) private returns (bool ok) {
        (address by, bytes memory call) = callOf(move, id, no);
        vm.prank(by);
        (ok,) = address(lots).call(call);
    }

    function callOf(Move move, uint256 id, uint256 no) private returns (address, bytes memory) {
        if (move == Move.Observe) return (farm, useCall(id, 0));
        if (move == Move.UsePart) return (farm, useCall(id, 4));
        if (move == Move.UseAll) return (farm, useCall(id, ALL));
        if (move == Move.Aggregate) return (farm, packCall(id, farm));
        if (move == Move.Offer) return (farm, offerCall(id, shop));
        if (move == Move.Return) return (farm, offerCall(id, recycler));
        if (move == Move.Accept) return (mill, acceptCall(no, id));
        if (move == Move.Reject) return (mill, rejectCall(no, id));
        if (move == Move.Cancel) return (farm, cancelCall(no, id));
        if (move == Move.Dispose) return (farm, retireCall(id, ALL, DISPOSED));
        return (admin, abi.encodeCall(TenantLots.recall, (id, WHY)));
    }
}
