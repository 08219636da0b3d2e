// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {EagerModel} from "./model/EagerModel.sol";
import {Handler} from "./model/Handler.sol";

/// The contract and the eager model, after random calls. foundry.toml says how many; FOUNDRY_PROFILE=long makes many more.
contract ModelTest is TenantTest {
    Handler private handler;

    function setUp() public override {
        super.setUp();
        lots = TenantLots(registry.createTenant("model", "Model", admin));
        handler = new Handler(lots, admin);
        handler.begin();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    struct Selectors {
        address target;
        bytes4[] selectors;
    }

    function targetSelectors() public view returns (Selectors[] memory targets) {
        targets = new Selectors[](1);
        targets[0].target = address(handler);
        targets[0].selectors = new bytes4[](1);
        targets[0].selectors[0] = Handler.randomCall.selector;
    }

    function invariant_theContractAgreesWithTheModel() public view {
        lotsAgree();
        peopleAgree();
        eventsAgree();
    }

    /// Without successes and refusals of every action the agreement would say little.
    function test_everyActionSucceedsAndIsRefusedAmongThreeThousandCalls() public {
        for (uint256 run; run < 12; ++run) {
            if (run != 0) setUp();
            for (uint256 i; i < 250; ++i) {
                handler.randomCall(uint256(keccak256(abi.encode(run, i))));
                if (i % 50 == 49) invariant_theContractAgreesWithTheModel();
            }
            tally();
        }
        for (uint256 i; i < 26; ++i) {
            string memory action = handler.names(i);
            bool neverRefused = i == 15 || i == 19 || i == 22; // approveAll, vetoWallet, wait
            require(successes[action] != 0, string.concat(action, " never succeeded"));
            require(neverRefused || refusals[action] != 0, string.concat(action, " was never refused"));
        }
    }

    mapping(string action => uint256) private successes;
    mapping(string action => uint256) private refusals;

    function tally() private {
        for (uint256 i; i < 26; ++i) {
            string memory action = handler.names(i);
            successes[action] += handler.successes(action);
            refusals[action] += handler.refusals(action);
        }
    }

    function lotsAgree() private view {
        uint256 count = handler.count();
        equal(lots.nextTokenId(), count + 1, "lots");
        equal(lots.nextOfferNo(), handler.offers() + 1, "offers");
        for (uint256 id = 1; id <= count; ++id) {
            TenantLots.LotView memory v = lots.lotOf(id);
            EagerModel.Thing memory t = handler.thing(id);
            equal(v.status, t.recalled && t.status != RETIRED ? RECALLED : t.status, "status");
            equal(v.reason, t.reason, "reason");
            equal(v.depth, t.depth, "depth");
            require(v.recalled == t.recalled && v.holdsRecalled == t.holdsRecalled && v.uncounted == t.uncounted, "flags");
            equal(v.custodian, t.holder, "custodian");
            equal(lots.custodianOf(id), t.holder, "custodianOf");
            equal(v.pendingCustodian, t.pending, "pending custodian");
            equal(v.offerNo, t.offerNo, "offer");
            equal(v.containerTokenId, t.status == AGGREGATED ? t.box : 0, "container");
            equal(v.remaining, t.left, "remaining");
            equal(t.made, t.left + t.used + t.gone + t.parted, "mass balance");
            equal(lots.ownerOf(id), t.owner, "owner is the last Transfer's or the wallet that moved");
            require(t.owner == address(lots) || t.owner == t.holder, "owner and custodian");
            equal(lots.getApproved(id), t.approved, "approved");
        }
    }

    function peopleAgree() private view {
        address[] memory owners = new address[](handler.count());
        for (uint256 i; i < owners.length; ++i) {
            owners[i] = lots.ownerOf(i + 1);
        }
        uint256 sum = balanceAgrees(address(lots), owners);
        for (uint256 i; i < handler.peopleCount(); ++i) {
            address who = handler.people(i);
            TenantLots.Account memory account = lots.accountOf(who);
            equal(account.roles, handler.roles(who), "roles");
            require((account.party != 0) == handler.isParty(who), "party");
            if (account.party != 0) equal(lots.addressOfParty(account.party), who, "address of the party");
            if (account.party != 0) equal(lots.barredHeld(account.party), handler.barredHeldBy(who), "recalled lots held");
            sum += balanceAgrees(who, owners);
        }
        equal(sum, owners.length, "balances add up to the lots");
    }

    function balanceAgrees(address who, address[] memory owners) private view returns (uint256 balance) {
        for (uint256 i; i < owners.length; ++i) {
            if (owners[i] == who) ++balance;
        }
        equal(lots.balanceOf(who), balance, "balance");
    }

    function eventsAgree() private view {
        for (uint256 i; i < handler.recordedCount(); ++i) {
            (bytes32 eventId, bytes32 commitment) = handler.commitmentOf(i);
            equal(lots.eventCommitment(eventId), commitment, "commitment");
        }
    }
}
